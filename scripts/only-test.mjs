// Loaded before a file of tests (`node --import`): of the tests within tests, only the one that ONLY_TEST names is run, with those
// around it and those in it. It is named as Node.js's runner does, below the names of those around it: `outer > inner`.

import { beforeEach } from 'node:test';

const wanted = process.env.ONLY_TEST;
const isWanted = (name) => `${wanted} > `.startsWith(`${name} > `) || name.startsWith(`${wanted} > `);

let isSet = false;
beforeEach((context) => {
  if (isSet) return;
  isSet = true;
  // What the context of every test is made of.
  const shared = Object.getPrototypeOf(context);
  const { test } = shared;
  shared.test = async function (name, ...rest) {
    if (isWanted(`${this.fullName} > ${name}`)) await test.call(this, name, ...rest);
  };
});

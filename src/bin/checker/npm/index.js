// For browsers and bundlers: the module is fetched from beside this file.
import { offer } from './offer.js';

export const { init, checkAgent, checkList, scriptedAgent, scriptedFaults } = offer();

// Numbers by chance that come out the same again for the same seed, so that a run which stumbled can be had once more.

/** Numbers from 0 to below 1, evenly spread, one for each call (mulberry32). */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How long one task after the other takes, in milliseconds: evenly spread around `takes`, up to `jitter` percent away from it. */
export function durations(takes, jitter, seed) {
  const random = seeded(Number(seed));
  return () => Number(takes) * (1 + (Number(jitter) / 100) * (2 * random() - 1));
}

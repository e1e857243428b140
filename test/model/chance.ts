/** Chance that comes again: the same seed gives the same answers in the same order. */
export interface Chance {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from 0 up to, but not including, the limit. */
  below(limit: number): number;
  /** True this often; 0 never asks, so that a fault that is off changes nothing else. */
  happens(probability: number): boolean;
  /** One of some things, each as likely as the next. @throws RangeError for none. */
  pick<Thing>(things: readonly Thing[]): Thing;
  /** One of some things, each as likely as its weight says. @throws RangeError for none. */
  weigh<Thing>(things: readonly (readonly [weight: number, thing: Thing])[]): Thing;
}

/** Makes chance from a seed (mulberry32, public domain). */
export function chanceFrom(seed: number): Chance {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    happens: (probability) => probability > 0 && next() < probability,
    pick: (things) => at(things, below(things.length)),
    weigh: (things) => {
      let left = next() * things.reduce((sum, [weight]) => sum + weight, 0);
      const index = things.findIndex(([weight]) => (left -= weight) < 0);
      return at(things, index === -1 ? things.length - 1 : index)[1];
    },
  };
}

function at<Thing>(things: readonly Thing[], index: number): Thing {
  const thing = things[index];
  if (thing === undefined) throw new RangeError("there is nothing to choose from");
  return thing;
}

/** Seeded random choices. The same seed gives the same sequence. */
export interface Chance {
  /** Returns a number from 0 to below 1. */
  next(): number;
  /** Returns a whole number from 0 to below the limit. */
  below(limit: number): number;
  /**
   * Returns true with a probability. 0 uses no random number, so that a disabled fault changes no
   * sequence.
   */
  happens(probability: number): boolean;
  /**
   * Returns one of some values, all with equal probability.
   *
   * @throws RangeError for an empty list
   */
  pick<Thing>(things: readonly Thing[]): Thing;
  /** Returns one of some values, with weighted probability. @throws RangeError for an empty list */
  weigh<Thing>(things: readonly (readonly [weight: number, thing: Thing])[]): Thing;
}

/** Returns the random choices of a seed (mulberry32, public domain). */
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
  if (thing === undefined) throw new RangeError("the list of choices is empty");
  return thing;
}

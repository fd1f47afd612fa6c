/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Mixes two integers into an unsigned 32-bit one: equal arguments always give equal results. */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul((b + 0x7f4a7c15) | 0, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The seed of a text, an unsigned 32-bit integer. */
export function textSeed(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash, text.length);
}

/** An unsigned 32-bit integer as eight hexadecimal digits. */
export function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/** A number in [0, 1) that is always the same for two integers. */
export function unit(a: number, b: number): number {
  return mix(a, b) / 4294967296;
}

/** A repeatable sequence of numbers in [0, 1), starting from the seed. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

/** A right-skewed factor around 1, as in human usage: median 1, spread `sigma` in logarithms. */
export function lognormal(random: Random, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(sigma * normal);
}

/** The element at a position in [0, 1) of a list that is not empty. */
export function at<T>(list: readonly [T, ...T[]], position: number): T {
  return list[Math.floor(position * list.length)] ?? list[0];
}

/** Splits a whole total into whole parts in proportion to the weights; the parts always sum to the total. */
export function apportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((subtotal, weight) => subtotal + weight, 0);
  if (sum <= 0) return weights.map(() => 0);
  let passed = 0;
  let given = 0;
  return weights.map((weight) => {
    passed += weight;
    const upTo = Math.round((total * passed) / sum);
    const part = upTo - given;
    given = upTo;
    return part;
  });
}

/** A share or an average with four decimals; 0 of nothing. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : round(part / whole);
}

export function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

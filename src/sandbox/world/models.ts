import { type Day, firstDay } from '../calendar.ts';

export type Tier = 'standard' | 'thinking';

export interface Model {
  readonly id: string;
  readonly tier: Tier;
  /** Credits per discounted token, relative to the other models. */
  readonly rate: number;
}

/** Weights at some numbers of days since the first day, ascending; interpolated linearly in between. */
type Popularity = readonly { readonly day: number; readonly weight: number }[];

const market: readonly (Model & { readonly popularity: Popularity })[] = [
  { id: 'claude-sonnet-4-6', tier: 'standard', rate: 0.5, popularity: pointsOf({ 0: 46, 120: 34, 300: 20 }) },
  {
    id: 'claude-sonnet-4-6',
    tier: 'thinking',
    rate: 0.55,
    popularity: pointsOf({ 0: 12, 150: 14, 300: 10 }),
  },
  { id: 'claude-opus-4-8', tier: 'thinking', rate: 1.1, popularity: pointsOf({ 70: 0, 110: 12, 300: 30 }) },
  {
    id: 'claude-haiku-4-5-20251001',
    tier: 'standard',
    rate: 0.18,
    popularity: pointsOf({ 0: 14, 200: 8, 300: 5 }),
  },
  { id: 'gpt-5.4-mini', tier: 'standard', rate: 0.12, popularity: pointsOf({ 0: 10, 180: 7, 320: 3 }) },
  { id: 'gpt-5.6-sol', tier: 'thinking', rate: 0.8, popularity: pointsOf({ 150: 0, 190: 14, 300: 18 }) },
  { id: 'gemini-3.5-flash', tier: 'standard', rate: 0.15, popularity: pointsOf({ 30: 0, 80: 6, 300: 6 }) },
  { id: 'glm-5.2', tier: 'standard', rate: 0.1, popularity: pointsOf({ 100: 0, 140: 3, 300: 4 }) },
  { id: 'kimi-k2.7-code', tier: 'standard', rate: 0.11, popularity: pointsOf({ 210: 0, 240: 4, 300: 6 }) },
];

const customPopularity = pointsOf({ 50: 0, 90: 3, 300: 4 });

interface ModelMix {
  readonly models: readonly [Model, ...Model[]];
  /** The running sum of shares; the last one is 1. */
  readonly upTo: readonly number[];
}

/** The models that an organization uses on a day, with their shares. */
export function modelMix(orgName: string, day: Day): ModelMix {
  const custom: Model = { id: `custom:${orgName}-coder-32b-0`, tier: 'standard', rate: 0.05 };
  const offered = [...market, { ...custom, popularity: customPopularity }]
    .map(({ id, tier, rate, popularity }) => ({
      id,
      tier,
      rate,
      weight: weightOn(popularity, day - firstDay),
    }))
    .filter((model) => model.weight > 0);
  const sum = offered.reduce((subtotal, model) => subtotal + model.weight, 0);
  let passed = 0;
  const upTo = offered.map((model) => {
    passed += model.weight;
    return passed / sum;
  });
  const [first = custom, ...rest] = offered;
  return { models: [first, ...rest], upTo };
}

/** The model at a position in [0, 1) of the mix. */
export function modelAt(mix: ModelMix, position: number): Model {
  const index = mix.upTo.findIndex((share) => position < share);
  return mix.models[Math.max(0, index)] ?? mix.models[0];
}

/** Objects list their whole numbers in ascending order. */
function pointsOf(weights: Readonly<Record<number, number>>): Popularity {
  return Object.entries(weights).map(([day, weight]) => ({ day: Number(day), weight }));
}

function weightOn(popularity: Popularity, days: number): number {
  let [before = { day: 0, weight: 0 }] = popularity;
  if (days < before.day) return 0;
  for (const point of popularity) {
    if (days < point.day) {
      const gained = (point.weight - before.weight) * (days - before.day);
      return before.weight + gained / (point.day - before.day);
    }
    before = point;
  }
  return before.weight;
}

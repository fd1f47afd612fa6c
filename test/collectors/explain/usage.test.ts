import { describe, expect, test } from 'vitest';
import { decompose } from '../../../src/collectors/explain/decompose.ts';
import { sidesOf } from '../../../src/collectors/explain/usage.ts';
import { dayNamed } from '../../support/day.ts';
import { createFakeView } from '../fakes.ts';

const TUESDAY = dayNamed('2026-03-03');
const LATER_TUESDAY = dayNamed('2026-03-10');
const WEDNESDAY = dayNamed('2026-03-11');
const NEXT_TUESDAY = dayNamed('2026-03-17');

/** A day that every dataset has as its row. */
function day(credits: number, rest: object = {}) {
  return {
    credits,
    tokens: { input: credits, output: 2 * credits, cacheRead: 3 * credits },
    byModel: [{ model: 'm', tier: 't', credits, input: credits, output: credits }],
    ...{ dailyUsers: credits + 1, sessions: credits + 2 },
    byTeam: [{ team: 'blue', active: 5, credits }],
    ...rest,
  };
}

/** The sides of a Tuesday, another and a Wednesday before, and of a Tuesday and a Wednesday after. */
function sides(
  rows: readonly unknown[],
  before = [TUESDAY, LATER_TUESDAY, WEDNESDAY],
  after = [WEDNESDAY, NEXT_TUESDAY],
) {
  const days = [TUESDAY, LATER_TUESDAY, WEDNESDAY, NEXT_TUESDAY];
  const known = days.flatMap((of, index) => (rows[index] === undefined ? [] : [[of, rows[index]] as const]));
  return sidesOf(createFakeView({ rows: new Map(known) }), before, after);
}

describe('the daily means of some days', () => {
  test('count each weekday as much as the others', () => {
    const { before, sameWeekdays } = sides([day(10), day(30), day(100), day(1)]) ?? {};
    expect(sameWeekdays).toBe(true);
    expect(before).toEqual({
      days: [TUESDAY, LATER_TUESDAY, WEDNESDAY],
      usage: {
        ...{ credits: 60, people: 61, sessions: 62, tokens: 180 },
        models: new Map([['m', { credits: 60, tokens: 120 }]]),
      },
      cached: 3,
      teams: new Map([['blue', 60]]),
    });
  });

  test('leave out unknown days, and weekdays of one side where there are others', () => {
    const all = [day(10), day(30), day(100), day(1)];
    expect(sides(all, undefined, [NEXT_TUESDAY])?.before.days).toEqual([TUESDAY, LATER_TUESDAY]);
    expect(sides([undefined, ...all.slice(1)])?.before.days).toEqual([LATER_TUESDAY, WEDNESDAY]);
    expect(sides([{}, ...all.slice(1)])?.before.days).toEqual([LATER_TUESDAY, WEDNESDAY]);
    expect(sides(all, [TUESDAY, LATER_TUESDAY], [WEDNESDAY])).toMatchObject({
      before: { usage: { credits: 20 } },
      sameWeekdays: false,
    });
    expect(sides(all, [], [NEXT_TUESDAY])).toBeUndefined();
    expect(sides([undefined, ...all.slice(1)], [TUESDAY], [NEXT_TUESDAY])).toBeUndefined();
  });

  test.each<[string, object, object]>([
    ['people', { dailyUsers: undefined }, { usage: { people: undefined, sessions: 22 } }],
    ['output', { tokens: { input: 1, cacheRead: 1 } }, { usage: { tokens: undefined } }],
    ['what the cache had', { tokens: { input: 1, output: 1 } }, { usage: { tokens: 31 }, cached: undefined }],
    ['input', { tokens: { output: 1, cacheRead: 1 } }, { cached: undefined }],
    ['models', { byModel: undefined }, { usage: { models: undefined } }],
    [
      'tokens of a model',
      { byModel: [{ model: 'm', credits: 1, input: 1 }] },
      { usage: { models: undefined } },
    ],
    [
      'credits of a model',
      { byModel: [{ model: 'm', credits: null, input: 1, output: 1 }] },
      { usage: { models: undefined } },
    ],
    ['credits of a team', { byTeam: [{ team: 'blue', active: 5 }] }, { teams: undefined }],
  ])('are unknown without the %s of one of them', (_case, lacking, expected) => {
    const { before } =
      sides([day(20), day(20, lacking), undefined, day(20)], [TUESDAY, LATER_TUESDAY], [NEXT_TUESDAY]) ?? {};
    expect(before).toMatchObject(expected);
  });

  test('of a day without credits need no models of it, and without input nothing is said of the cache', () => {
    const idle = { credits: 0, tokens: { input: 0, output: 0, cacheRead: 0 } };
    const after = sides([day(20), day(20), undefined, idle], [TUESDAY], [NEXT_TUESDAY])?.after;
    expect(after).toMatchObject({
      usage: { credits: 0, models: new Map() },
      cached: undefined,
      teams: undefined,
    });
  });

  test('are those of each tier of a model, so that a move to a dearer tier is what was used', () => {
    const of = (tier: string, credits: number) =>
      day(credits, { byModel: [{ model: 'm', tier, credits, input: 10, output: 10 }] });
    const moved = sides(
      [of('standard', 20), undefined, undefined, of('fast', 60)],
      [TUESDAY],
      [NEXT_TUESDAY],
    );
    const [before, after] = [moved?.before.usage, moved?.after.usage];
    expect([...(before?.models ?? [])]).toEqual([['m (standard)', { credits: 20, tokens: 20 }]]);
    expect([...(after?.models ?? [])]).toEqual([['m (fast)', { credits: 60, tokens: 20 }]]);
    const effects = before && after && decompose({ ...before, tokens: 20 }, { ...after, tokens: 20 });
    const effectOf = (cause: string) => effects?.find((effect) => effect.cause === cause)?.credits;
    expect(effectOf('price_of_tokens')).toBe(0);
    expect(effectOf('models_used')).toBeGreaterThan(30);
  });

  test('are those of teams that are shown on each day', () => {
    const two = [
      { team: 'red', active: 5, credits: 12 },
      { team: 'blue', active: 5, credits: 8 },
    ];
    const { before } =
      sides(
        [day(20), day(20, { byTeam: two }), undefined, day(1)],
        [TUESDAY, LATER_TUESDAY],
        [NEXT_TUESDAY],
      ) ?? {};
    expect(before?.teams).toEqual(new Map([['blue', 14]]));
  });

  test('are those of teams with 0 on a day whose people are listed with nothing', () => {
    const nothing = day(0, { byTeam: undefined });
    const [before, after] = [[TUESDAY, LATER_TUESDAY], [NEXT_TUESDAY]];
    expect(sides([day(20), nothing, undefined, day(1)], before, after)?.before.teams).toEqual(
      new Map([['blue', 10]]),
    );
    // Some teams have these credits, but which is not known.
    const unshown = day(4, { byTeam: undefined });
    expect(sides([day(20), unshown, undefined, day(1)], before, after)?.before.teams).toBeUndefined();
  });
});

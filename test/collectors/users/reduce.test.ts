import { describe, expect, test } from 'vitest';
import { hasActivity } from '../../../src/catalog/dataset.ts';
import { labelValue } from '../../../src/catalog/label.ts';
import type { PeopleSettings } from '../../../src/catalog/settings.ts';
import { MAX_PARTS } from '../../../src/collectors/counts.ts';
import { usersCollector } from '../../../src/collectors/users/collector.ts';
import { type UsersRow, usersDataset } from '../../../src/collectors/users/dataset.ts';
import { mergeRow } from '../../../src/store/merge.ts';
import { createFakeView, DAY, expositionOf, linesOf } from '../fakes.ts';
import { type Person, person, reduced, teamsById } from './people.ts';

const byId = teamsById({ identity: 'id', labelOf: ({ id }) => id });

/** The part of a page that shows individual people. */
function shownOf(row: UsersRow, people: PeopleSettings): Readonly<Record<string, number>> {
  const view = createFakeView({ rows: new Map([[DAY, row]]), people });
  const lines = expositionOf(usersCollector.families, view).filter((line) => line.includes('user="'));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  );
}

function crowd(count: number, credits: (index: number) => number) {
  return Array.from({ length: count }, (_, index) =>
    person(`t-${index}`, { billable_tokens: credits(index) }),
  );
}

describe('the distribution over all people', () => {
  test('is counted over those who are active: sessions, messages, tool calls or credits', () => {
    const row = reduced([
      person('a', {
        sessions: 0,
        messages: 1,
        primary_model: 'm',
        primary_model_tier: 'thinking',
        languages: ['Go', 'Go'],
      }),
      person('b', { sessions: 0, tool_calls: 1, primary_model: 'm', languages: ['Go', 'C#'] }),
      person('c', { sessions: 0, billable_tokens: 1, delegation_level: 'spec' }),
      person('d', { sessions: 0, user_messages: 1, delegation_level: 'spec' }),
      person('e', { sessions: 0, git_commits: 5, primary_model: 'm', delegation_level: 'spec' }),
    ]);
    expect(row.byPrimaryModel).toEqual([
      { model: 'm', tier: 'thinking', people: 1 },
      { model: 'm', tier: 'unknown', people: 1 },
    ]);
    expect(row.byDelegationLevel).toEqual([{ name: 'spec', count: 2 }]);
    expect(row.byLanguage).toEqual([
      { name: 'C#', count: 1 },
      { name: 'Go', count: 2 },
    ]);
  });

  test('has quantiles as PromQL has them, from as many people on as hide anybody', () => {
    expect(reduced(crowd(4, (index) => index)).perUser).toBeUndefined();
    expect(reduced(crowd(5, (index) => index * 10)).perUser).toEqual({ p50: 20, p90: 36 });
    expect(reduced(crowd(9, (index) => index)).perUser).toEqual({ p50: 4, p90: 7.2 });
    expect(reduced(crowd(11, (index) => index)).perUser).toEqual({ p50: 5, p90: 9, p99: 9.9, max: 10 });
    expect(reduced(crowd(49, () => 1)).perUser?.topRatio).toBeUndefined();
    expect(reduced(crowd(50, (index) => (index < 5 ? 9 : 1))).perUser?.topRatio).toBe(0.5);
  });

  test('counts what is beyond as many names as a breakdown has as other', () => {
    const many = Array.from({ length: MAX_PARTS + 2 }, (_, index) => `n${String(index).padStart(4, '0')}`);
    const people = [
      ...many.map((name, index) => person(`p${index}`, { primary_model: name, languages: [name] })),
      ...many.slice(0, 2).map((name) => person(name, { primary_model: name, languages: [name] })),
    ];
    const { byPrimaryModel = [], byLanguage = [] } = reduced(people);
    expect(byLanguage).toHaveLength(MAX_PARTS + 1);
    expect(byLanguage.slice(0, 3).map(({ count }) => count)).toEqual([2, 2, 1]);
    expect(byLanguage.at(-1)).toEqual({ name: 'other', count: 2 });
    expect(byPrimaryModel).toHaveLength(MAX_PARTS + 1);
    expect(byPrimaryModel.slice(0, 3).map((one) => one.people)).toEqual([2, 2, 1]);
    expect(byPrimaryModel.at(-1)).toEqual({ model: 'other', tier: 'other', people: 2 });
  });

  test('is sorted by name, and of a model by tier', () => {
    const uses = ['b t', 'a u', 'b s', 'a t', 'a u'].map((use) => use.split(' '));
    const people = uses.map(([model, tier], index) =>
      person(`p${index}`, { primary_model: model, primary_model_tier: tier, delegation_level: tier }),
    );
    const { byPrimaryModel, byDelegationLevel } = reduced(people);
    expect(byPrimaryModel?.map((one) => Object.values(one).join(' '))).toEqual([
      ...['a t 1', 'a u 2', 'b s 1', 'b t 1'],
    ]);
    expect(byDelegationLevel?.map(({ name, count }) => `${name} ${count}`)).toEqual(['s 1', 't 2', 'u 2']);
  });

  test('has no shares of nothing', () => {
    const idle = Array.from({ length: 60 }, (_, index) => person(`a-${index}`, { billable_tokens: 0 }));
    expect(reduced(idle).perUser?.topRatio).toBeUndefined();
  });
});

describe('a day of people', () => {
  test('shows activity wherever somebody did something, also if no figure of the day shows it', () => {
    const shows = (...people: readonly Person[]) => hasActivity(usersDataset, reduced(people));
    expect(shows(person('a', { sessions: 0 }))).toBeUndefined();
    expect(shows(person('a', { sessions: 0, billable_tokens: 0 }))).toBe(false);
    expect(reduced([person('a', { sessions: 1 })])).toHaveProperty('unshownActivity', 1);
    for (const done of ['files_edited', 'git_commits', 'hooks', 'messages'])
      expect(shows(person('a', { sessions: 0, [done]: 1 }), person('b')), done).toBe(true);
    expect(reduced([person('a', { billable_tokens: 3 })])).not.toHaveProperty('unshownActivity');
  });
});

describe('a day that is answered again', () => {
  const worked: Person = { billable_tokens: 5, tool_calls: 2, primary_model: 'm', languages: ['Go'] };
  const answer = (change: Person, settings?: PeopleSettings) =>
    reduced(
      ['a', 'b', 'c'].map((id) => person(id, { ...worked, ...change })),
      settings,
    );
  const none = { sessions: null, tool_calls: null, primary_model: null, languages: null };

  test.each([
    ['figures', {}, { ...none, billable_tokens: null }],
    ['credits', {}, { billable_tokens: null }],
    ['figures where it never had credits', { billable_tokens: null }, { ...none, billable_tokens: null }],
  ])('keeps its people if the answer has no %s', (_, before, after) => {
    for (const settings of [undefined, byId]) {
      const stored = answer(before, settings);
      const merged = mergeRow(stored, answer(after, settings), usersDataset.parts ?? {});
      expect(merged).toMatchObject({ row: stored, isRevised: false });
      expect(merged.missing).toBeGreaterThan(0);
    }
  });

  test.each([
    ['has them of one person only', [person('a', worked), person('b', { sessions: null })]],
    ['says that nobody did anything', [person('a', { sessions: 0, billable_tokens: 0 })]],
  ])('has the people of an answer that %s', (_, people) => {
    const now = reduced(people);
    expect(mergeRow(answer({}), now, usersDataset.parts ?? {})).toEqual({
      row: now,
      isRevised: true,
      missing: 0,
    });
  });
});

describe('individual people', () => {
  test('keep their figures, however many they are and in whatever order they come', () => {
    const people = Array.from({ length: 600 }, (_, index) =>
      person(`p${(index * 7) % 600}`, { billable_tokens: (index * 7) % 600, tool_calls: 1 }),
    );
    const shown = shownOf(reduced(people, byId), byId);
    const credits = Object.entries(shown).filter(([line]) => line.startsWith('daily_credits_by_user'));
    expect(credits.map(([line]) => line)).toEqual(credits.map(([line]) => line).toSorted());
    expect(Object.fromEntries(credits)).toEqual(
      Object.fromEntries(people.map((_, id) => [`daily_credits_by_user{user="p${id}"}`, id])),
    );
    expect(Object.keys(shown).filter((line) => line.startsWith('daily_tool_calls_by_user'))).toHaveLength(
      600,
    );
  });

  test('have the team that is shown of them, otherwise other', () => {
    const named = teamsById({ identity: 'id', labelOf: ({ id }) => id });
    const people = [...crowd(6, () => 1), ...['u-1', 'v-1', 'v-2', 'v-3', 'v-4'].map((id) => person(id))];
    const infos = Object.keys(shownOf(reduced(people, named), named)).filter((line) =>
      line.startsWith('user_info'),
    );
    const teamOf = (user: string) =>
      /team="(.*?)"/.exec(infos.find((line) => line.includes(user)) ?? '')?.[1];
    expect(['t-0', 't-5', 'u-1', 'v-4'].map(teamOf)).toEqual(['t', 't', 'other', 'other']);
  });

  test('without a label have no series', () => {
    const some = teamsById({ identity: 'id', labelOf: ({ id }) => (id === 'b' ? undefined : id) });
    const row = reduced(
      ['a', 'b', 'c'].map((id, index) => person(id, { billable_tokens: index })),
      some,
    );
    const lines = Object.keys(shownOf(row, some)).filter((line) => line.startsWith('daily_credits'));
    expect(lines).toEqual(['daily_credits_by_user{user="a"}', 'daily_credits_by_user{user="c"}']);
  });

  test('are not stored unless they are identified', () => {
    const row = reduced(crowd(30, () => 1));
    expect(row.people).toBeUndefined();
    expect(JSON.stringify(row)).not.toMatch(/t-\d/);
  });

  test('have a series each, and none where a figure is not known', () => {
    const row = reduced(
      [
        person('a', { billable_tokens: 2, user_messages: 1, messages: 4, files_edited: 0 }),
        person('b', {
          autonomy_ratio: 1.5,
          primary_model: 'm',
          primary_model_tier: 't',
          delegation_level: 'spec',
        }),
      ],
      byId,
    );
    const view = createFakeView({ rows: new Map([[DAY, row]]), people: byId });
    const lines = expositionOf(usersCollector.families, view).filter((line) =>
      /user=".*(?<! NaN)$/.test(line),
    );
    expect(lines).toEqual([
      'daily_credits_by_user{user="a"} 2',
      'daily_sessions_by_user{user="a"} 1',
      'daily_sessions_by_user{user="b"} 1',
      'daily_messages_by_user{user="a",role="user"} 1',
      'daily_messages_by_user{user="a",role="assistant"} 3',
      'daily_files_by_user{user="a",action="edited"} 0',
      'daily_autonomy_ratio_by_user{user="b"} 1.5',
      'user_info{user="a",team="other",primary_model="",primary_model_tier="",delegation_level=""} 1',
      'user_info{user="b",team="other",primary_model="m",primary_model_tier="t",delegation_level="spec"} 1',
    ]);
  });

  test('have no 0 in place of a figure that nobody has on a day, as if its field had another name now', () => {
    const row = reduced([person('a', { files_edited: 1 }), person('b')], byId);
    const view = createFakeView({ rows: new Map([[DAY, row]]), people: byId });
    const families = new Map(usersCollector.families.map((family) => [family.name, family]));
    const lines = (name: `agent_platform_${string}`) => {
      const family = families.get(name);
      return family && linesOf(family, view);
    };
    expect(lines('agent_platform_daily_credits_by_user')).toBeUndefined();
    expect(lines('agent_platform_daily_files_by_user')).toEqual([
      '{user="a",action="created"} NaN',
      '{user="b",action="created"} NaN',
      '{user="a",action="edited"} 1',
    ]);
  });

  test('are summed where two have one label, as two accounts with one address; a ratio is then left out', () => {
    const byEmail = teamsById({ identity: 'email', labelOf: ({ id, email }) => email ?? id });
    const row = reduced(
      [
        person('a', {
          user_email: 'X@acme.example',
          billable_tokens: 2,
          autonomy_ratio: 1,
          primary_model: 'small',
        }),
        person('b', {
          user_email: ' x@ACME.example',
          billable_tokens: 5,
          autonomy_ratio: 2,
          primary_model: 'large',
        }),
        person('c', { user_email: null, billable_tokens: 1 }),
        person('d', { user_email: '', billable_tokens: 1 }),
      ],
      byEmail,
    );
    expect(shownOf(row, byEmail)).toMatchObject({
      'daily_credits_by_user{user="c"}': 1,
      'daily_credits_by_user{user="d"}': 1,
      'daily_credits_by_user{user="x@acme.example"}': 7,
      'user_info{user="x@acme.example",team="other",primary_model="large",primary_model_tier="",delegation_level=""}': 1,
    });
    expect(Object.keys(shownOf(row, byEmail)).join()).not.toContain('autonomy');
  });

  test('are described by the largest of several accounts with one address, in any order', () => {
    const byEmail = teamsById({ identity: 'email', labelOf: ({ id, email }) => email ?? id });
    const account = (credits: number) =>
      person(`a${credits}`, {
        user_email: 'x@acme.example',
        billable_tokens: credits,
        primary_model: `m${credits}`,
      });
    const orders = [
      [4, 5, 7],
      [4, 7, 5],
      [5, 4, 7],
      [5, 7, 4],
      [7, 4, 5],
      [7, 5, 4],
    ];
    for (const order of orders) {
      expect(shownOf(reduced(order.map(account), byEmail), byEmail), order.join()).toMatchObject({
        'daily_credits_by_user{user="x@acme.example"}': 16,
        'user_info{user="x@acme.example",team="other",primary_model="m7",primary_model_tier="",delegation_level=""}': 1,
      });
    }
  });

  test('are not shown if they were identified in another way', () => {
    const row = reduced(
      crowd(12, () => 1),
      byId,
    );
    for (const people of [undefined, { ...byId, identity: 'email' }]) {
      const view = createFakeView({ rows: new Map([[DAY, row]]), people });
      expect(expositionOf(usersCollector.families, view).join()).not.toContain('user="');
    }
  });

  test('cannot inject lines', () => {
    const row = reduced([person('a\nb', { billable_tokens: 1 }), person('c', { billable_tokens: 2 })], byId);
    expect(shownOf(row, byId)).toMatchObject({
      [`daily_credits_by_user{user="${labelValue('a\nb')}"}`]: 1,
      'daily_credits_by_user{user="c"}': 2,
    });
  });
});

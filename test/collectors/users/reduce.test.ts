import { describe, expect, test } from 'vitest';
import { labelValue } from '../../../src/catalog/label.ts';
import type { PeopleSettings } from '../../../src/catalog/settings.ts';
import { usersCollector } from '../../../src/collectors/users/collector.ts';
import type { UsersRow } from '../../../src/collectors/users/dataset.ts';
import { createFakeView, DAY, expositionOf } from '../fakes.ts';
import { person, reduced, teamsById } from './people.ts';

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

  test('has no shares of nothing', () => {
    const idle = Array.from({ length: 60 }, (_, index) => person(`a-${index}`, { billable_tokens: 0 }));
    expect(reduced(idle).perUser?.topRatio).toBeUndefined();
  });
});

describe('individual people', () => {
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
    const lines = expositionOf(usersCollector.families, view).filter((line) => line.includes('user="'));
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

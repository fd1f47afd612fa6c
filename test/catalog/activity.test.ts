import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { type DayDataset, hasActivity } from '../../src/catalog/dataset.ts';
import { activityDataset } from '../../src/collectors/activity/dataset.ts';
import { productivityDataset } from '../../src/collectors/productivity/dataset.ts';
import { tokensDataset } from '../../src/collectors/tokens/dataset.ts';
import { toolsDataset } from '../../src/collectors/tools/dataset.ts';
import { usersDataset } from '../../src/collectors/users/dataset.ts';
import { reader as activityReader } from '../../src/platforms/agent-platform/activity.ts';
import { reader as productivityReader } from '../../src/platforms/agent-platform/productivity.ts';
import { dayRow as tokensRow } from '../../src/platforms/agent-platform/tokens.ts';
import { reader as toolsReader } from '../../src/platforms/agent-platform/tools.ts';
import { personRow } from '../../src/platforms/agent-platform/users.ts';
import { DAY } from '../collectors/fakes.ts';
import { person, reduced } from '../collectors/users/people.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Fields of a row without activity that are not plain numbers, and each of them with a number above zero. */
const nested: Readonly<Record<string, readonly [quiet: unknown, busy: unknown]>> = {
  by_model: [[], [{ model_id: 'a', model_tier: 'standard', output_tokens: 1 }]],
  by_user: [[], [{ user_id: 'u', billable_tokens: 1 }]],
  by_tool: [[], [{ tool: 'Read', invocations: 1 }]],
  mcp_by_server: [[], [{ server: 'github', invocations: 1 }]],
  skills_by_name: [[], [{ name: 'review', count: 1 }]],
  slash_commands_by_name: [[], [{ name: 'help', count: 1 }]],
  hooks_by_event: [[], [{ event: 'Stop', matcher: '', count: 1 }]],
  tool_autonomy_level_ratio: [{}, { manual: 1 }],
  daily_active_users_by_client: [{}, { cli: 1 }],
  by_extension: [[], [{ extension: 'ts', count: 1 }]],
  by_language: [[], [{ language: 'Go', count: 1 }]],
};

/** Fields of a person that are no numbers. */
const attributes = new Set([
  ...[
    'date',
    'user_id',
    'user_email',
    'primary_model',
    'primary_model_tier',
    'delegation_level',
    'languages',
  ],
]);

const kinds: readonly (readonly [DayDataset<unknown>, z.ZodPipe<z.ZodObject>])[] = [
  [activityDataset, activityReader.dayRow],
  [productivityDataset, productivityReader.dayRow],
  [tokensDataset, tokensRow],
  [toolsDataset, toolsReader.dayRow],
] as never;

describe.each(kinds)('a row of $name', (dataset, schema) => {
  const fields = Object.keys(schema.in.shape).filter((field) => field !== 'date');
  const zeros: Raw = Object.fromEntries(fields.map((field) => [field, nested[field]?.[0] ?? 0]));
  const activityOf = (raw: Raw) =>
    hasActivity(dataset, (schema.parse({ ...zeros, ...raw, date: DAY }) as { row: unknown }).row);

  test('of zeros shows no activity, and the row of an idle day neither', () => {
    expect(activityOf({})).toBe(false);
    expect(hasActivity(dataset, dataset.idle)).toBe(false);
  });

  test('shows activity where any number of the day is above zero', () => {
    const beyond = ['weekly_active_users', 'monthly_active_users'];
    for (const field of fields) {
      expect(activityOf({ [field]: nested[field]?.[1] ?? 1 }), field).toBe(!beyond.includes(field));
    }
  });

  test('without numbers, or with an unusable field and zeros, shows nothing', () => {
    const nothing = schema.parse({ date: DAY }) as { row: object };
    expect(hasActivity(dataset, nothing.row)).toBeUndefined();
    expect(hasActivity(dataset, { ...(dataset.idle as object), rejected: { any: 1 } })).toBeUndefined();
  });
});

describe('a row of users', () => {
  const fields = Object.keys((personRow as unknown as z.ZodPipe<z.ZodObject>).in.shape).filter(
    (field) => !attributes.has(field),
  );
  const zeros: Raw = { ...Object.fromEntries(fields.map((field) => [field, 0])), primary_model: 'm' };

  test('of people who did nothing shows no activity', () => {
    expect(hasActivity(usersDataset, reduced([person('a', zeros)]))).toBe(false);
  });

  test('shows activity where one person has any number above zero, however few people there are', () => {
    for (const field of fields) {
      const row = reduced([person('a', zeros), person('b', { ...zeros, [field]: 1 })]);
      expect(hasActivity(usersDataset, row), field).toBe(true);
    }
  });
});

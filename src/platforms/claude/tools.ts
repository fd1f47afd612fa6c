import * as z from 'zod';
import type { FetchedDays } from '../../catalog/collector.ts';
import { withRejected } from '../../catalog/dataset.ts';
import { type Day, daysFrom } from '../../catalog/day.ts';
import type { DayReader } from '../../catalog/platform.ts';
import type { Source } from '../../catalog/source.ts';
import { namedCount, summedCounts, sumOfUsable } from '../../collectors/counts.ts';
import type { ToolsRow } from '../../collectors/tools/dataset.ts';
import { apiContractOf } from '../api-contract.ts';
import { amount, requiredText, sumOfSent } from '../fields.ts';
import { type Listing, readListing, undated } from './listing.ts';

/** A name with its calls; null if they are unusable, undefined where the organization's are not counted. */
interface CallsOf {
  readonly name: string;
  readonly calls: number | null | undefined;
}

/** A listing of what was called. */
type Called = Pick<Listing<CallsOf, never>, 'path' | 'schema' | 'contract'>;

const UNREAD = [
  ...['distinct_user_count', 'product', 'rbac_group_id', 'rbac_group_name', 'user_id', 'user'],
  ...['chat', 'chat_cowork_unified', 'claude_code', 'cowork', 'office'].map((name) => `${name}_metrics`),
];

const skill = z.object({ skill_name: requiredText, invocation_count: amount });

const SKILLS: Called = {
  path: '/v1/organizations/analytics/skills',
  schema: z.compile(
    skill.transform(({ skill_name: name, invocation_count: calls }): CallsOf => ({ name, calls })),
  ),
  contract: apiContractOf({
    ...{ schema: skill, ...undated, optional: ['invocation_count'] },
    unread: [
      ...[...UNREAD, 'skill_display_name', 'enable_count', 'share_status', 'currency'],
      ...['attributed_list_price', 'estimated_overage_spend'],
    ],
  }),
};

const CALLS = ['read_call_count', 'write_call_count', 'unclassified_call_count'] as const;

const connector = z.object({
  connector_name: requiredText,
  read_call_count: amount,
  write_call_count: amount,
  unclassified_call_count: amount,
});

const CONNECTORS: Called = {
  path: '/v1/organizations/analytics/connectors',
  schema: z.compile(
    connector.transform((row): CallsOf => {
      const counts = CALLS.map((name) => row[name]);
      // Calls of a kind that is not counted are missing, and so is their sum.
      const calls = counts.includes(undefined) ? undefined : sumOfSent(counts);
      return { name: row.connector_name.toLowerCase(), calls };
    }),
  ),
  contract: apiContractOf({
    ...{ schema: connector, ...undated, optional: CALLS },
    unread: [
      ...[...UNREAD, 'connector_display_name'],
      ...['individual', 'managed'].map((name) => `${name}_auth_distinct_user_count`),
    ],
  }),
};

/** Skills and connectors, which only an Enterprise organization has. */
export const reader: DayReader<ToolsRow> = {
  async fetchDays(source, { from, to }) {
    const rows = new Map<Day, ToolsRow>();
    const all = { rows, lost: 0, rejected: 0, bytes: 0, remarks: [] };
    for (const day of daysFrom(from, to).toReversed()) {
      const skills = await readCalled(source, day, SKILLS);
      const servers = await readCalled(source, day, CONNECTORS);
      all.rejected += skills.rejected + servers.rejected;
      all.bytes += skills.bytes + servers.bytes;
      const faults = [
        ...(skills.rejected > 0 ? ['skillCalls', 'skills'] : []),
        ...(servers.rejected > 0 ? ['mcpServers'] : []),
      ];
      if (skills.isEmpty && servers.isEmpty) continue;
      const { counts: bySkill } = skills;
      const calls = { bySkill, skillInvocations: bySkill && sumOfUsable(bySkill.map(({ count }) => count)) };
      rows.set(day, withRejected<ToolsRow>({ ...calls, mcpByServer: servers.counts }, faults));
    }
    return all satisfies FetchedDays<ToolsRow>;
  },
};

/** The calls of a day by name; without counts if those of a name are not counted. */
async function readCalled(source: Source, day: Day, called: Called) {
  const { sum, rejected, bytes } = await readListing(source, {
    ...{ endpoint: 'tools', query: { date: day }, ...called },
    begin: (): CallsOf[] => [],
    add: (all, row, faults) => all.push(faults.length > 0 ? { ...row, calls: null } : row) > 0,
  });
  const isCounted = !sum.some(({ calls }) => calls === undefined);
  const counts = isCounted
    ? summedCounts(sum.map(({ name, calls }) => namedCount(name, calls ?? null)))
    : undefined;
  return { rejected, bytes, counts, isEmpty: sum.length === 0 };
}

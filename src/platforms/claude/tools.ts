import * as z from 'zod';
import type { DayReader } from '../../catalog/collector.ts';
import { withRejected } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import type { Source } from '../../catalog/source.ts';
import { namedCount, summedCounts, sumOfUsable } from '../../collectors/counts.ts';
import type { ToolsRow } from '../../collectors/tools/dataset.ts';
import { amount, requiredText, sumOfSent } from '../fields.ts';
import { readDays } from '../shared.ts';
import { listingOf, readListing } from './listing.ts';

const UNREAD =
  'distinct_user_count product rbac_group_{id,name} user_id user ' +
  '{chat,chat_cowork_unified,claude_code,cowork,office}_metrics';

/** Names with their calls, undefined where the organization's are not counted. */
const SKILLS = listingOf(
  'analytics/skills',
  z
    .object({ skill_name: requiredText, invocation_count: amount })
    .transform(({ skill_name: name, invocation_count: calls }) => ({ name, calls })),
  {
    unread:
      `${UNREAD} skill_display_name enable_count share_status currency ` +
      'attributed_list_price estimated_overage_spend',
    optional: 'invocation_count',
  },
);

const CONNECTORS = listingOf(
  'analytics/connectors',
  z
    .object({
      connector_name: requiredText,
      read_call_count: amount,
      write_call_count: amount,
      unclassified_call_count: amount,
    })
    .transform(({ connector_name: name, ...row }) => {
      const counts = [row.read_call_count, row.write_call_count, row.unclassified_call_count];
      // Calls of a kind that is not counted are missing, and so is their sum.
      return { name: name.toLowerCase(), calls: counts.includes(undefined) ? undefined : sumOfSent(counts) };
    }),
  {
    unread: `${UNREAD} connector_display_name {individual,managed}_auth_distinct_user_count`,
    optional: '{read,write,unclassified}_call_count',
  },
);

/** Skills and connectors, which only an Enterprise organization has. */
export const reader: DayReader<ToolsRow> = {
  fetchDays: (source, window) =>
    readDays<ToolsRow>(window, async (day) => {
      const skills = await readCalled(source, day, SKILLS);
      const servers = await readCalled(source, day, CONNECTORS);
      const { counts: bySkill } = skills;
      const skillInvocations = bySkill && sumOfUsable(bySkill.map(({ count }) => count));
      const row: ToolsRow = { bySkill, skillInvocations, mcpByServer: servers.counts };
      const faults = [
        ...(skills.rejected > 0 ? ['skillCalls', 'skills'] : []),
        ...(servers.rejected > 0 ? ['mcpServers'] : []),
      ];
      return {
        row: skills.isEmpty && servers.isEmpty ? undefined : withRejected(row, faults),
        rejected: skills.rejected + servers.rejected,
        bytes: skills.bytes + servers.bytes,
      };
    }),
};

/** The calls of a day by name; without counts if those of a name are not counted. */
async function readCalled(source: Source, day: Day, called: typeof SKILLS) {
  const asked = { endpoint: 'tools', query: { date: day } } as const;
  const { rows, rejected, bytes } = await readListing(source, called, asked);
  const counts = rows.map(({ row: { name, calls }, faults }) => ({
    name,
    calls: faults.length > 0 ? null : calls,
  }));
  const isCounted = !counts.some(({ calls }) => calls === undefined);
  return {
    rejected,
    bytes,
    counts: isCounted
      ? summedCounts(counts.map(({ name, calls }) => namedCount(name, calls ?? null)))
      : undefined,
    isEmpty: rows.length === 0,
  };
}

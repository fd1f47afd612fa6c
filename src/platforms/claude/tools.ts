import * as z from 'zod';
import type { ApiContract } from '../../catalog/api-contract.ts';
import type { FetchedDays } from '../../catalog/collector.ts';
import { withRejected } from '../../catalog/dataset.ts';
import { type Day, daysFrom } from '../../catalog/day.ts';
import type { DayReader } from '../../catalog/platform.ts';
import { IncompleteListing, type Source } from '../../catalog/source.ts';
import { namedCount, plusSent, summedCounts, sumOfUsable } from '../../collectors/counts.ts';
import type { ToolsRow } from '../../collectors/tools/dataset.ts';
import { apiContractOf } from '../api-contract.ts';
import { elementAmount, requiredText } from '../fields.ts';
import { salvage } from '../usable-row.ts';
import { readListing } from './listing.ts';

/** A name with its calls; undefined where the organization's are not counted. */
interface CallsOf {
  readonly name: string;
  readonly calls: number | null | undefined;
}

/** A listing of what was called. */
interface Called {
  readonly path: string;
  readonly schema: z.ZodType<CallsOf>;
  readonly contract: ApiContract;
}

const UNREAD = [
  ...['distinct_user_count', 'product', 'rbac_group_id', 'rbac_group_name', 'user_id', 'user'],
  ...['chat', 'chat_cowork_unified', 'claude_code', 'cowork', 'office'].map((name) => `${name}_metrics`),
];

const undated = { whenOf: () => undefined, dayOf: () => undefined };

const skill = z.compile(z.object({ skill_name: requiredText, invocation_count: elementAmount }));

const connector = z.compile(
  z.object({
    connector_name: requiredText,
    read_call_count: elementAmount,
    write_call_count: elementAmount,
    unclassified_call_count: elementAmount,
  }),
);

const SKILLS: Called = {
  path: '/v1/organizations/analytics/skills',
  schema: skill.transform(({ skill_name: name, invocation_count: calls }): CallsOf => ({ name, calls })),
  contract: apiContractOf({
    schema: skill,
    ...undated,
    unread: [
      ...UNREAD,
      ...['skill_display_name', 'enable_count', 'share_status', 'currency'],
      ...['attributed_list_price', 'estimated_overage_spend'],
    ],
    optional: ['invocation_count'],
  }),
};

const CALLS = ['read_call_count', 'write_call_count', 'unclassified_call_count'] as const;

const CONNECTORS: Called = {
  path: '/v1/organizations/analytics/connectors',
  schema: connector.transform((row): CallsOf => {
    const counts = CALLS.map((name) => row[name]);
    // Calls of a kind that is not counted are missing, and so is their sum.
    const calls = counts.includes(undefined)
      ? undefined
      : counts.reduce<number | null | undefined>(plusSent, undefined);
    return { name: row.connector_name.toLowerCase(), calls };
  }),
  contract: apiContractOf({
    schema: connector,
    ...undated,
    unread: [
      ...[...UNREAD, 'connector_display_name'],
      ...['individual', 'managed'].map((name) => `${name}_auth_distinct_user_count`),
    ],
    optional: [...CALLS],
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
      if (skills.called.length + servers.called.length > 0)
        rows.set(
          day,
          withRejected<ToolsRow>(
            {
              skillInvocations: sumOfUsable(skills.counts ?? [null]),
              bySkill: skills.counts && summedCounts(skills.called),
              mcpByServer: servers.counts && summedCounts(servers.called),
            },
            faults,
          ),
        );
    }
    return all satisfies FetchedDays<ToolsRow>;
  },
};

/** The calls of a day by name; without counts if those of a name are not counted. */
async function readCalled(source: Source, day: Day, { path, schema, contract }: Called) {
  const { sum, pages, bytes } = await readListing(source, {
    endpoint: 'tools',
    path,
    query: { date: day },
    begin: () => ({ called: [] as CallsOf[], rejected: 0, lost: 0 }),
    add(read, sent) {
      source.compare?.(contract, sent);
      for (const one of sent) {
        const { row, rejected } = salvage(schema, one);
        read.rejected += rejected;
        if (row === undefined) read.lost += 1;
        else read.called.push(row);
      }
    },
  });
  if (sum.lost > 0) throw new IncompleteListing(path, 'rows', pages, sum.rejected + sum.lost);
  const counts = sum.called.map(({ calls }) => calls);
  const isCounted = !counts.includes(undefined);
  return {
    ...{ rejected: sum.rejected, bytes },
    called: sum.called.map(({ name, calls }) => namedCount(name, calls ?? null)),
    counts: isCounted ? counts.map((count) => count ?? null) : undefined,
  };
}

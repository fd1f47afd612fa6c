import type { BenchOptions } from '../options.ts';
import type { ExecutableResult } from '../sections/executable.ts';
import type { FirstSyncResult } from '../sections/first-sync.ts';
import type { HookResult } from '../sections/hook.ts';
import type { OrganizationsResult } from '../sections/organizations.ts';
import type { PanelsResult } from '../sections/panels.ts';
import type { ReplicasResult } from '../sections/replicas.ts';
import type { UsersResult } from '../sections/users.ts';
import { aimsOf, renderAims, servingAims, startingAims } from './aims.ts';
import { renderExecutablePage } from './executable-page.ts';
import { hookAims, renderHookPage } from './hook-page.ts';
import { organizationsAims, renderOrganizationsPage } from './organizations-page.ts';
import { panelsAims, renderPanelsPage } from './panels-page.ts';
import { fileAims, remoteAims, syncAims } from './past-aims.ts';
import { type BackfillReport, renderBackfillPage, renderSyncPage } from './past-page.ts';
import { renderReplicasPage } from './replicas-page.ts';
import { renderScrapingPage, type ScrapingReport } from './scraping-page.ts';
import { renderUsersPage, usersAims } from './users-page.ts';

/** All measurements, and the machine; undefined for sections that were not requested. */
export interface Report {
  readonly machine: string;
  readonly options: BenchOptions;
  readonly scraping: ScrapingReport | undefined;
  readonly backfill: BackfillReport | undefined;
  readonly sync: FirstSyncResult | undefined;
  readonly hook: HookResult | undefined;
  readonly executable: ExecutableResult | undefined;
  readonly users: readonly UsersResult[] | undefined;
  readonly panels: PanelsResult | undefined;
  readonly organizations: readonly OrganizationsResult[] | undefined;
  /** Without results if PostgreSQL is not installed. */
  readonly replicas: { readonly results: readonly ReplicasResult[] | undefined } | undefined;
}

/** The page of results. */
export function renderPage(report: Report): string {
  const {
    machine,
    options,
    scraping,
    backfill,
    sync,
    hook,
    executable,
    users,
    panels,
    organizations,
    replicas,
  } = report;
  const aims = [
    ...(scraping === undefined
      ? []
      : [
          ...scraping.sizes.flatMap(aimsOf),
          ...scraping.serving.flatMap(servingAims),
          ...startingAims(scraping.starting),
        ]),
    ...(backfill === undefined ? [] : [...fileAims(backfill.files), ...remoteAims(backfill.remote)]),
    ...(sync === undefined ? [] : syncAims(sync)),
    ...(hook === undefined ? [] : hookAims(hook)),
    ...(users === undefined ? [] : usersAims(users)),
    ...(panels === undefined ? [] : panelsAims(panels)),
    ...(organizations === undefined ? [] : organizationsAims(organizations)),
  ];
  const sections = [
    scraping && renderScrapingPage(scraping, options),
    backfill && renderBackfillPage(backfill, options),
    sync && renderSyncPage(sync, options),
    hook && renderHookPage(hook, options),
    executable && renderExecutablePage(executable, options),
    users && renderUsersPage(users),
    panels && renderPanelsPage(panels, options),
    organizations && renderOrganizationsPage(organizations),
    replicas && renderReplicasPage(replicas.results),
  ];
  return `# Benchmarks

Written by \`npm run bench -- --write\` from a single run, without manual changes. Everything that is compared was measured in
the same run on the same machine: the ratios apply to other machines, the absolute values do not.

What is compared takes turns, round by round, and a ratio is the median of the ratios of each round. Parentheses contain the
lower and the upper quartile of the rounds, or the smallest and the largest with fewer than five. A target counts as reached
only if the worse end of this spread reaches it. Figures without parentheses are medians or of a single run, as the section
says.

Machine: ${machine}. Servers and load client share it.

## Aims

${renderAims(aims)}

${sections.filter((section) => section !== undefined).join('\n\n')}
`;
}

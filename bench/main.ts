// Measures the exporter and what it is compared with: npm run bench -- --help
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Built, build, buildExecutable, ROOT } from './build.ts';
import { describeMachine } from './machine.ts';
import { type BenchOptions, type Part, parseOptions } from './options.ts';
import { drawOrganizations, ORGANIZATIONS_PICTURE } from './report/organizations-page.ts';
import { type Report, renderPage } from './report/page.ts';
import type { BackfillReport } from './report/past-page.ts';
import { drawSeries, type ScrapingReport, SERIES_PICTURE } from './report/scraping-page.ts';
import { keepSoak } from './report/soak-section.ts';
import { measureFileBackfills } from './sections/backfill-files.ts';
import { measureRemoteBackfills } from './sections/backfill-remote.ts';
import { type ExecutableResult, measureExecutable } from './sections/executable.ts';
import { type FirstSyncResult, measureFirstSync } from './sections/first-sync.ts';
import { type HookResult, measureHook } from './sections/hook.ts';
import { measureOrganizations, type OrganizationsResult } from './sections/organizations.ts';
import { measurePanels, type PanelsResult } from './sections/panels.ts';
import { measureReplicas, type ReplicasResult } from './sections/replicas.ts';
import { measureServing } from './sections/serving.ts';
import { measureSize, type SizeResult } from './sections/size.ts';
import { measureStarting } from './sections/starting.ts';
import { measureUsers, type UsersResult } from './sections/users.ts';
import { buildClientGolang } from './servers/client-golang.ts';

/** Above this, one scrape of an exporter that renders its registry takes longer than a round. */
const REGISTRY_SERIES = 100_000;

try {
  const options = parseOptions(process.argv.slice(2));
  const report = await measure(options);
  const page = renderPage(report);
  console.log(page);
  if (options.write) write(page, report);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function write(page: string, { organizations, scraping }: Report): void {
  const file = path.join(ROOT, 'docs', 'BENCHMARKS.md');
  const picture = (name: string) => path.join(path.dirname(file), name);
  if (organizations !== undefined)
    writeFileSync(picture(ORGANIZATIONS_PICTURE), drawOrganizations(organizations));
  if (scraping !== undefined) writeFileSync(picture(SERIES_PICTURE), drawSeries(scraping.sizes));
  writeFileSync(file, existsSync(file) ? keepSoak(page, readFileSync(file, 'utf8')) : page);
}

async function measure(options: BenchOptions): Promise<Report> {
  const built = build();
  const does = (part: Part) => options.parts.includes(part);
  return {
    machine: describeMachine(),
    options,
    scraping: does('scrape') ? await measureScraping(built, options) : undefined,
    backfill: does('backfill') ? await measureBackfill(built, options) : undefined,
    sync: does('sync') ? await measureSync(built, options) : undefined,
    hook: does('hook') ? await measureHooks(built, options) : undefined,
    executable: does('executable') ? await measureOneFile(built, options) : undefined,
    users: does('users') ? await measurePeople(built, options) : undefined,
    panels: does('panels') ? await measureDashboards(options) : undefined,
    organizations: does('organizations') ? await measureMany(built, options) : undefined,
    replicas: does('replicas') ? { results: await measureShared(built, options) } : undefined,
  };
}

async function measureScraping(built: Built, options: BenchOptions): Promise<ScrapingReport> {
  console.error('measuring the start');
  const starting = await measureStarting(built, options.starts);
  const clientGolang = buildClientGolang(built.bench);
  const program = 'program' in clientGolang ? clientGolang.program : undefined;
  const sizes: SizeResult[] = [];
  for (const series of options.sizes) {
    console.error(`measuring ${series} series`);
    const few = series <= REGISTRY_SERIES;
    const registries = { promClient: few, clientGolang: few ? program : undefined };
    sizes.push(await measureSize({ ...options, directory: built.bench, series, registries }));
  }
  console.error(`measuring the running service with ${options.sizes.join(' and ')} series`);
  return { sizes, starting, serving: await measureServing(built, options.sizes, options), clientGolang };
}

async function measureBackfill({ bench }: Built, options: BenchOptions): Promise<BackfillReport> {
  const { toFiles, byRemoteWrite, backfills } = options;
  console.error('measuring the backfill to files');
  const files = await measureFileBackfills(bench, toFiles, backfills);
  console.error('measuring the backfill by remote write');
  return { files, remote: await measureRemoteBackfills(bench, byRemoteWrite, backfills) };
}

async function measureSync(built: Built, { syncedDays, syncs }: BenchOptions): Promise<FirstSyncResult> {
  console.error('measuring the first sync');
  return measureFirstSync(built, syncedDays, syncs);
}

async function measureHooks(built: Built, { hookRuns }: BenchOptions): Promise<HookResult> {
  console.error('measuring the hook command');
  return measureHook(built, buildExecutable(), hookRuns);
}

async function measureOneFile(built: Built, { starts }: BenchOptions): Promise<ExecutableResult> {
  console.error('measuring the single executable');
  return measureExecutable(built, buildExecutable(), starts);
}

async function measurePeople(
  built: Built,
  { users, readings }: BenchOptions,
): Promise<readonly UsersResult[]> {
  console.error('measuring the reading of people');
  return measureUsers(built, users, readings);
}

async function measureDashboards({ year, queried }: BenchOptions): Promise<PanelsResult | undefined> {
  console.error('measuring the panels over a year');
  return measurePanels(year, queried);
}

async function measureMany(
  built: Built,
  { organizations, organizationRounds }: BenchOptions,
): Promise<readonly OrganizationsResult[]> {
  console.error('measuring many organizations');
  return measureOrganizations(built, organizations, organizationRounds);
}

async function measureShared(
  built: Built,
  { replicated }: BenchOptions,
): Promise<readonly ReplicasResult[] | undefined> {
  console.error('measuring replicas');
  return measureReplicas(built, replicated);
}

import { globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import {
  composeSettings,
  defaultSettings,
  markerSettings,
  ruleGroups,
  rulesDocument,
  thresholds,
} from '../alerts/src/index.ts';
import { fileOf, renderDashboard, specs } from '../dashboards/src/index.ts';
import { recordingDocument } from '../dashboards/src/recording-rules.ts';
import { aboutFamilies, collectors } from '../src/collectors/index.ts';
import { createOptions } from '../src/config/options.ts';
import { ownMetrics } from '../src/exposition/own-metrics.ts';
import { hookMetrics } from '../src/intake/metrics.ts';
import { chartReadme } from './chart/readme.ts';
import { withThresholds } from './chart/values-file.ts';
import { valuesSchema } from './chart/values-schema.ts';
import { lintDashboard } from './dashboards/lint.ts';
import { renderAlertsReadme } from './docs/alerts.ts';
import { readDefinitions } from './docs/definitions.ts';
import { renderMetricsDocs } from './docs/metrics.ts';
import { renderConfigurationDocs } from './docs/options.ts';
import { edited, projectFiles, withRunbook } from './project/applied.ts';
import { project } from './project/project.ts';
import { publishedSchemas } from './schema/published.ts';
import { renderSound } from './sound.ts';

/** A file of the repository that is generated from the code. */
interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string;
  content(): string | Buffer;
}

const addresses = projectFiles(project);

const source: readonly GeneratedFile[] = [
  { path: 'docs/CONFIGURATION.md', content: () => renderConfigurationDocs(collectors) },
  {
    path: 'docs/METRICS.md',
    content: () =>
      renderMetricsDocs(
        collectors,
        aboutFamilies,
        Object.values(ownMetrics),
        Object.values(hookMetrics),
        readDefinitions(),
      ),
  },
  { path: 'assets/notification.wav', content: renderSound },
  { path: 'alerts/agent-platform-exporter.rules.yaml', content: () => rulesDocument(defaultSettings) },
  // The same with links to the Grafana beside it.
  { path: 'compose/alerts.rules.yaml', content: () => rulesDocument(composeSettings) },
  { path: 'alerts/agent-platform-exporter.recording.rules.yaml', content: recordingDocument },
  // The same for the chart.
  { path: 'helm/files/recording.rules.yaml', content: recordingDocument },
  { path: 'alerts/README.md', content: () => renderAlertsReadme(ruleGroups(defaultSettings), thresholds) },
  // The same with markers, for the chart, which cannot read files outside itself.
  { path: 'helm/files/rules.yaml', content: () => rulesDocument(markerSettings) },
  ...specs.map((spec) => ({ path: `dashboards/${fileOf(spec)}`, content: () => renderDashboard(spec) })),
  { path: 'helm/values.yaml', content: chartValues },
  ...Object.entries(publishedSchemas(collectors)).map(([name, text]) => ({
    path: `docs/schema/${name}.schema.json`,
    content: () => text,
  })),
  ...projectAddresses(),
  ...alertTests(),
  { path: 'helm/values.schema.json', content: () => valuesSchema(createOptions(collectors), chartValues()) },
  { path: 'helm/README.md', content: () => chartReadme(chartValues()) },
];

const dashboardCopies = source
  .filter(({ path }) => /^dashboards\/[^/]+\.json$/.test(path))
  .map((file) => ({ ...file, path: `helm/files/${file.path}` }));
const generated = [...source, ...dashboardCopies];

const problems = specs.flatMap((spec) => lintDashboard(fileOf(spec), renderDashboard(spec)));
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else if (process.argv.includes('--check')) {
  const stale: string[] = [];
  for (const file of generated) {
    if ((await current(file))?.equals(Buffer.from(file.content())) !== true) stale.push(file.path);
  }
  if (stale.length > 0) {
    console.error(`out of date: ${stale.join(', ')}\n  run: node scripts/generate.ts`);
    process.exitCode = 1;
  }
} else {
  for (const file of generated) {
    await mkdir(new URL('.', locationOf(file)), { recursive: true });
    await writeFile(locationOf(file), file.content());
  }
}

/** Written by hand, except for the alerts' thresholds and the project's URL. */
function chartValues(): string {
  const path = 'helm/values.yaml';
  return edited(path, withThresholds(textOf(path)), addresses[path] ?? []);
}

/** Written by hand, except for the URLs in `project.json`. */
function projectAddresses(): readonly GeneratedFile[] {
  return Object.entries(addresses)
    .filter(([path]) => path !== 'helm/values.yaml')
    .map(([path, edits]) => ({ path, content: () => edited(path, textOf(path), edits) }));
}

/** Written by hand, except for the runbook's URL. */
function alertTests(): readonly GeneratedFile[] {
  const root = new URL('..', import.meta.url);
  return globSync('alerts/tests/*.yaml', { cwd: root }).map((path) => ({
    path,
    content: () => withRunbook(textOf(path), project),
  }));
}

function textOf(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

function locationOf(file: GeneratedFile): URL {
  return new URL(`../${file.path}`, import.meta.url);
}

async function current(file: GeneratedFile): Promise<Buffer | undefined> {
  try {
    return await readFile(locationOf(file));
  } catch {
    return undefined;
  }
}

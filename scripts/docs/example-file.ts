import { type Option, type OptionTable, optionsIn } from '../../src/config/option.ts';
import { project, schemaUrl } from '../project/project.ts';

/** Keys of one level: an option, or nested keys. */
type Level = Map<string, Option | Level>;

/** A configuration file with every key and its default; valid as it is, except for API keys. */
export function renderExample(options: OptionTable): string {
  const root: Level = new Map();
  for (const option of optionsIn(options)) {
    const path = option.key;
    const key = path?.at(-1);
    // The organization of flags and environment variables cannot be combined with the list below.
    if (path === undefined || key === undefined || option.section === 'Organization') continue;
    levelAt(root, path.slice(0, -1)).set(key, option);
  }
  return [
    `# yaml-language-server: $schema=${schemaUrl(project, 'exporter')}`,
    ...fileOnly,
    ...renderLevel(root, ''),
  ].join('\n');
}

function levelAt(root: Level, path: readonly string[]): Level {
  let level = root;
  for (const key of path) {
    const found = level.get(key);
    const below: Level = found instanceof Map ? found : new Map();
    level.set(key, below);
    level = below;
  }
  return level;
}

function renderLevel(level: Level, indent: string): readonly string[] {
  const lines: string[] = [];
  for (const [key, below] of level) {
    if (below instanceof Map) lines.push(`${indent}${key}:`, ...renderLevel(below, `${indent}  `));
    else if (below.standard === undefined) lines.push(`${indent}# ${key}: not set`);
    else lines.push(`${indent}${key}: ${scalarOf(below)}`);
  }
  return lines;
}

// Without quotes, some texts would be parsed as something else: an address as a mapping, a schedule as an alias.
function scalarOf({ kind, standard: text = '' }: Option): string {
  const plain = ['boolean', 'integer', 'number'].includes(kind) || /^[A-Za-z0-9/][\w/-]*$/.test(text);
  return plain ? text : JSON.stringify(text);
}

const fileOnly = [
  'orgs:',
  '  - name: acme                           # the org label',
  '    base_url: https://api.example.com',
  '    app_url: https://app.example.com     # defaults to base_url',
  '    api_key_file: /run/secrets/acme      # or api_key_env: ACME_KEY',
  '    seats: 120                           # the following keys are optional',
  '    budget: {credits_per_month: 500000000}',
  '    prices:                              # each applies until the next one starts',
  '      - {from: 2026-01-14, currency: USD, per_million_credits: 2.70}',
  '    calendar: {country: DE, days_off: [2026-12-24, 2026-12-31]}',
  'limits:',
  '  values_per_label: {default: 200, repo: 5000, user: 20000}   # or one number for all labels',
  '  series: 1000000',
  'readiness:',
  '  branches: []                           # such as [trunk, main]',
  '  clean_only: false',
  '  level_rule: none                       # none | bands',
  '  criterion_counts: false',
];

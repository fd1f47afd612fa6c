/** A key of the configuration file that no flag stands for. */
export interface FileKey {
  readonly path: string;
  readonly default: string;
  readonly description: string;
}

export const defaultValuesPerLabel: ReadonlyMap<string, number> = new Map([
  ['default', 200],
  ['repo', 5000],
  ['user', 20_000],
]);

export const defaultSeries = 1_000_000;

/** The keys that only the file has, for the documentation. */
export const fileKeys: readonly FileKey[] = [
  {
    path: 'orgs[].name',
    default: 'required',
    description:
      'Value of the `org` label: 1 to 64 letters and digits, with dots, dashes, underscores or spaces between them; each name once',
  },
  { path: 'orgs[].base_url', default: 'required', description: 'Address of the API host' },
  {
    path: 'orgs[].app_url',
    default: '`base_url`',
    description: 'Address of the web-app host, which serves the readiness reports',
  },
  {
    path: 'orgs[].api_key_file',
    default: 'this or `api_key_env`',
    description: 'File with the API key; a relative path starts at the directory of the configuration file',
  },
  {
    path: 'orgs[].api_key_env',
    default: 'this or `api_key_file`',
    description: 'Name of the environment variable with the API key',
  },
  {
    path: 'orgs[].org_id',
    default: 'the one that the answers name first',
    description:
      "The platform's identifier of the organization: only its answers are taken. Another one says that a change of organization is meant: what is stored of the former one is set aside, and comes back with its identifier",
  },
  {
    path: 'orgs[].seats',
    default: 'none',
    description: 'How many seats are paid for, to compare with who is active',
  },
  {
    path: 'orgs[].budget',
    default: 'none',
    description: '`{credits_per_month: 500000000}`: how many credits a calendar month (UTC) may cost',
  },
  {
    path: 'orgs[].prices',
    default: '`[]`',
    description:
      '`[{from: 2026-01-14, currency: USD, per_million_credits: 2.70}]`: what credits cost, each price from its day (UTC) on until the next one begins. `currency` has three capital letters. Days without a price have no cost figures',
  },
  {
    path: 'limits.values_per_label',
    default: '`{default: 200, repo: 5000, user: 20000}`',
    description:
      'How many values a label keeps per organization, the largest ones; the rest is summed into `other`. One whole number for all labels, or a number by label name, `default` being for those not named',
  },
  {
    path: 'limits.series',
    default: '`1000000`',
    description:
      'Most series in all; an organization over its share loses whole families, the most detailed first',
  },
  {
    path: 'readiness.branches',
    default: '`[]`',
    description:
      'Branches that count as the main line, best first; where empty, `main` or `master`, else the most frequent branch',
  },
  {
    path: 'readiness.clean_only',
    default: '`false`',
    description: 'Whether reports made with local changes or unpushed commits are left out',
  },
  {
    path: 'readiness.level_rule',
    default: '`none`',
    description: '`none`, or `bands`: a level from 1 to 5 for each 20 % of the readiness ratio',
  },
  {
    path: 'readiness.criterion_counts',
    default: '`true`',
    description: 'Whether the passed and evaluated counts of each criterion are published beside its ratio',
  },
];

/** A key of the configuration file without a corresponding flag. */
interface FileKey {
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
      'Value of the `org` label: 1 to 64 letters and digits, with dots, dashes, underscores or spaces between them. Names must be unique',
  },
  { path: 'orgs[].base_url', default: 'required', description: 'Base URL of the API host' },
  {
    path: 'orgs[].app_url',
    default: '`base_url`',
    description: 'Base URL of the web-app host, which serves the readiness reports',
  },
  {
    path: 'orgs[].api_key_file',
    default: 'this or `api_key_env`',
    description:
      'File with the API key. A relative path is resolved against the directory of the configuration file',
  },
  {
    path: 'orgs[].api_key_env',
    default: 'this or `api_key_file`',
    description: 'Name of the environment variable with the API key',
  },
  {
    path: 'orgs[].org_id',
    default: 'the first one in the answers',
    description:
      "The platform's identifier of the organization. Answers of other organizations are refused. Changing it declares a deliberate change of organization: the stored data of the former organization is set aside and restored when its identifier is configured again",
  },
  {
    path: 'orgs[].seats',
    default: 'none',
    description: 'Number of paid seats, to compare with active people',
  },
  {
    path: 'orgs[].budget',
    default: 'none',
    description: '`{credits_per_month: 500000000}`: the budget of a calendar month (UTC) in credits',
  },
  {
    path: 'orgs[].prices',
    default: '`[]`',
    description:
      '`[{from: 2026-01-14, currency: USD, per_million_credits: 2.70}]`: the price of credits. Each price applies from its day (UTC) until the next one starts. `currency` is a code of three capital letters. Days without a price have no cost',
  },
  {
    path: 'limits.values_per_label',
    default: '`{default: 200, repo: 5000, user: 20000}`',
    description:
      'Number of values that a label keeps per organization. The largest values are kept and the rest is summed into `other`; labels with a fixed set of values, such as `kind` and `currency`, are left as they are. Either one integer for all labels, or an integer per label name, where `default` applies to labels that are not listed',
  },
  {
    path: 'limits.series',
    default: '`1000000`',
    description:
      'Maximum number of series in total. An organization over its share loses whole metric families, the most detailed first',
  },
  {
    path: 'readiness.branches',
    default: '`[]`',
    description:
      'Branches that count as the main branch, in order of preference. If empty, `main` or `master`, otherwise the branch with the most reports; of several, the one with the newest report',
  },
  {
    path: 'readiness.clean_only',
    default: '`false`',
    description: 'Ignore reports made with local changes or unpushed commits',
  },
  {
    path: 'readiness.level_rule',
    default: '`none`',
    description: '`none`, or `bands`: a level from 1 to 5, one for each 20 % of the readiness ratio',
  },
  {
    path: 'readiness.criterion_counts',
    default: '`false`',
    description:
      'Publish the passed and evaluated counts of each criterion in addition to its ratio: two thirds of the series of a small organization',
  },
];

/** Secrets come from the environment only, never from a flag or the text of a file key. */
export const secretVariables = {
  AGENT_PLATFORM_API_KEY: 'The API key of the organization configured by --api.base-url',
  AGENT_PLATFORM_API_KEY_FILE: 'A file that contains this key. It is read again when it changes',
  AGENT_PLATFORM_HOOKS_TOKEN:
    'The token that hook senders present to POST /hooks/events. Without a token, hook events are not accepted',
  AGENT_PLATFORM_HOOKS_TOKEN_FILE: 'A file that contains this token. It is read again when it changes',
  AGENT_PLATFORM_STORAGE_URL_FILE:
    'A file that contains the URL of --storage.url. It is read again when it changes',
  AGENT_PLATFORM_USERS_HASH_KEY:
    'The key of the hashes that identify users with --users.identity=hash; at least 16 bytes',
  AGENT_PLATFORM_USERS_HASH_KEY_FILE: 'A file that contains this key. It is read again when it changes',
} as const;

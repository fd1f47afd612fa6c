import type { Day } from '../calendar.ts';
import { mix, unit } from '../random.ts';
import { plantedSecrets } from '../secrets.ts';

/** A thing and its popularity. */
export type Weighted<T> = readonly (readonly [thing: T, weight: number])[];

/** Names and their popularity. */
export function weighted(names: Readonly<Record<string, number>>): Weighted<string> {
  return Object.entries(names);
}

export const builtInTools = weighted({
  Read: 30,
  Edit: 19,
  Execute: 18,
  Grep: 12,
  Glob: 7,
  Create: 4,
  ApplyPatch: 4,
  TodoWrite: 3,
  Task: 1.6,
  FetchUrl: 0.9,
  WebSearch: 0.8,
  LS: 2.4,
});

/** One server in two spellings, as users configure it. */
export const mcpServers = weighted({
  github: 24,
  GitHub: 6,
  linear: 14,
  Linear: 3,
  postgres: 9,
  sentry: 7,
  Sentry: 2,
  figma: 6,
  playwright: 8,
  'internal-docs': 5,
});

export const mcpTools = weighted({ search: 5, list: 4, get: 6, create: 2, query: 3 });

export const skills = weighted({
  'code-review': 9,
  'write-tests': 7,
  'release-notes': 2,
  'frontend-design': 4,
  'incident-report': 1,
  'sql-migration': 2,
});

export const slashCommands = weighted({
  review: 9,
  compact: 7,
  model: 6,
  mcp: 3,
  clear: 5,
  'readiness-report': 1,
  'ship-it': 2,
});

interface Hook {
  readonly event: string;
  readonly matcher: string;
  readonly command: string;
}

/** Command lines as customers write them, including secrets and home directories. */
export const hooks: Weighted<Hook> = [
  [{ event: 'PostToolUse', matcher: 'Edit|Create', command: 'npx prettier --write "$FACTORY_FILE"' }, 20],
  [{ event: 'PostToolUse', matcher: 'Execute', command: '/home/ada/.local/bin/audit-log --append' }, 9],
  [{ event: 'PreToolUse', matcher: 'Execute', command: 'python3 ~/.factory/hooks/guard.py' }, 14],
  [{ event: 'PreToolUse', matcher: 'mcp__.*', command: 'python3 ~/.factory/hooks/guard.py --mcp' }, 3],
  [
    {
      event: 'Stop',
      matcher: '',
      command: `curl -s -H "Authorization: Bearer ${plantedSecrets.hookToken}" https://chat.example/notify`,
    },
    6,
  ],
  [
    {
      event: 'Notification',
      matcher: '',
      command: `mysql -h db.example -u hooks -p${plantedSecrets.hookPassword} -e "insert into waits values (now())"`,
    },
    5,
  ],
  [{ event: 'SessionStart', matcher: 'startup', command: 'cat docs/context.md' }, 2],
  [{ event: 'SessionEnd', matcher: '', command: "notify-send 'done'" }, 2],
];

/** Tool names as a broken parser reports them. */
const artifacts = [
  'Read\u0000\u001b[0m',
  '{"command":"git status","timeout":',
  'Execute\n</invoke>\n<invoke name="Read">',
  `Edit${' the file'.repeat(40)}`,
  '',
] as const;

/** The parsing artifact of a day, on one day in thirty. */
export function artifactOn(orgSeed: number, day: Day): string | undefined {
  const drawn = mix(orgSeed ^ 0xa57, day);
  return drawn % 30 === 0 ? artifacts[Math.floor(drawn / 30) % artifacts.length] : undefined;
}

/** Varies popularity a little, differently every day. */
export function weightsOn<T>(things: Weighted<T>, daySeed: number): number[] {
  return things.map(([, weight], index) => weight * (0.75 + 0.5 * unit(daySeed, index)));
}

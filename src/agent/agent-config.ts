import { isObject } from '../catalog/object.ts';

/** A command in the agent's hooks configuration. */
export interface HookCommand {
  readonly command: string;
  /** In seconds; by default that of an existing entry, otherwise 5. */
  readonly timeout?: number | undefined;
}

/** A changed configuration. */
interface Merged {
  readonly config: Json;
  /** The events at which a command line of the user's own runs this program; these lines are unchanged. */
  readonly left: readonly string[];
}

const defaultTimeout = 5;

/** The events that make sense together: those that begin a wait, those that end one, and the ends of tasks. */
export const defaultEvents = [
  'SessionStart',
  'UserPromptSubmit',
  'PostToolUse',
  'Notification',
  'Stop',
  'SubagentStop',
  'SessionEnd',
] as const;

type Json = Readonly<Record<string, unknown>>;

/**
 * A configuration with the command at each of the events: in its member `hooks` if it has one or is that of the agent's
 * settings (`isSettings`, or members that are no events), otherwise at its top. Everything else in it stays as it is,
 * including the order. A command that is nothing but an invocation of this program is updated instead of duplicated, and kept
 * once for each matcher. Throws an error in plain words if the configuration has another shape.
 */
export function mergeAgentConfig(
  existing: Json,
  events: readonly string[],
  command: HookCommand,
  isSettings = false,
): Merged {
  const isNested = isSettings || Object.keys(existing).some((key) => !/^[A-Z]/.test(key));
  if (!isNested) return withEvents(existing, events, command);
  const hooks = Object.hasOwn(existing, 'hooks') ? existing['hooks'] : {};
  if (!isJson(hooks)) throw new Error('hooks is not an object of events');
  const { config, left } = withEvents(hooks, events, command);
  return { config: { ...existing, hooks: config }, left };
}

function withEvents(existing: Json, events: readonly string[], command: HookCommand): Merged {
  const config: Record<string, unknown> = { ...existing };
  const left: string[] = [];
  for (const event of events) {
    const entries = Object.hasOwn(existing, event) ? existing[event] : [];
    if (!Array.isArray(entries)) throw new Error(`${event} is not a list of entries`);
    const found = new Set<'own' | 'within'>();
    const seen = new Set<string>();
    const updated = entries.flatMap((entry: unknown) => {
      if (!isJson(entry) || !Array.isArray(entry['hooks'])) return [entry];
      const condition = JSON.stringify({ matcher: '*', ...entry, hooks: [] });
      const isFirst = () => !seen.has(condition) && seen.add(condition);
      const hooks = entry['hooks'].filter((hook: unknown) => !isOwn(hook, command.command) || isFirst());
      if (hooks.length === 0 && entry['hooks'].length > 0) return [];
      return [{ ...entry, hooks: hooks.map((hook) => updatedHook(hook, command, found)) }];
    });
    const { timeout = defaultTimeout } = command;
    const added = { hooks: [{ type: 'command', command: command.command, timeout }] };
    config[event] = found.size > 0 ? updated : [...updated, added];
    if (found.has('within')) left.push(event);
  }
  return { config, left };
}

function isOwn(hook: unknown, command: string): boolean {
  const line = isJson(hook) ? hook['command'] : undefined;
  return typeof line === 'string' && (line === command || isInvocation(line));
}

function updatedHook(
  hook: unknown,
  { command, timeout }: HookCommand,
  found: Set<'own' | 'within'>,
): unknown {
  const line = isJson(hook) ? hook['command'] : undefined;
  if (!isJson(hook) || typeof line !== 'string') return hook;
  if (isOwn(hook, command)) {
    found.add('own');
    return { ...hook, type: 'command', command, timeout: timeout ?? hook['timeout'] ?? defaultTimeout };
  }
  if (` ${line} `.includes(` ${command} `) || INVOCATION_WITHIN.test(line)) found.add('within');
  return hook;
}

const WORD = String.raw`(?:"(?:[^"$\x60\\]|\\.)*"|'[^']*'|[^\s"'$\x60|&;<>()*?])+`;
const PROGRAM = /(?:^|[/\\])agent-platform-exporter(?:\.js|\.cmd|\.exe)?$/;
// `hook-config` quotes a flag as a whole if its path needs it.
const FLAG = `(?=["']?--(?:config|state-dir)=)${WORD}|--(?:config|state-dir) ${WORD}`;
const PLAIN = new RegExp(`^(?:env -u NODE_OPTIONS )?(?:(${WORD}) )?(${WORD}) hook(?: (?:${FLAG}))*$`);
const INVOCATION_WITHIN = /(?<![\w.-])agent-platform-exporter(?:\.js|\.cmd|\.exe)?["']? hook(?![\w-])/;

/** Whether a command line is nothing but this program's `hook` with its flags, however it is installed. */
function isInvocation(line: string): boolean {
  const [, node, program = ''] = PLAIN.exec(line.trim()) ?? [];
  const isNode = node === undefined || /(?:^|[/\\ ])node(?:\.exe)?$/i.test(unquoted(node));
  return isNode && PROGRAM.test(unquoted(program));
}

function unquoted(word: string): string {
  return word.replace(/^(["'])(.*)\1$/s, '$2');
}

/** JSON features of Node.js that TypeScript's types do not declare yet. */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, place: { source?: string }) => unknown): unknown;
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
}

const exactJson = JSON as unknown as ExactJson;

/** Parses JSON so that numbers keep their spelling, such as integers beyond 2^53. */
export function parseExactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value)
      ? exactJson.rawJSON(source)
      : value,
  );
}

/** A number that keeps its spelling is an object too, but has no members. */
function isJson(value: unknown): value is Json {
  return isObject(value) && !exactJson.isRawJSON(value);
}

import * as z from 'zod';
import { ConfigError } from '../text/errors.ts';
import { suggestion } from '../text/suggestion.ts';
import { quoted } from './parse.ts';

/** A node of a configuration file with its file, line and path, for messages. */
export interface YamlNode {
  readonly file: string;
  /** Dotted, with indexes: `orgs[1].name`; empty for the whole file. */
  readonly path: string;
  /** The line of its key, if it has one. */
  readonly line: number;
  /** Null if it is empty. */
  readonly value: unknown;
  /** The nodes below it by key or index, in the order of the file. */
  readonly children: ReadonlyMap<string, YamlNode>;
}

/** The node of a plain value that is on one line, as in a CSV file. */
export function nodeOnLine(file: string, line: number, path: string, value: unknown): YamlNode {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  const children = entries.map(
    ([key, below]) => [key, nodeOnLine(file, line, `${path}.${key}`, below)] as const,
  );
  return { file, path, line, value, children: new Map(children) };
}

/** An error at a node: `config.yml:3: api.timeout: <problem>`. */
export function configErrorAt(node: YamlNode, problem: string, hint?: string): ConfigError {
  return new ConfigError(`${originOf(node)}: ${problem}`, hint);
}

/** File, line and path of a node, as written in messages. */
export function originOf(node: YamlNode): string {
  return `${node.file}:${node.line}${node.path === '' ? '' : `: ${node.path}`}`;
}

type Path = readonly PropertyKey[];

const KEY_SEPARATOR = '\n';

/**
 * Validates a part of a YAML file with a zod schema. Throws a `ConfigError` with file, line and key of the first issue;
 * an unknown key takes precedence over other issues of its mapping. A schema's `error` is the text after the key; a
 * custom issue may have a `hint` in its `params`. `missing` is the message for an absent required key.
 */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  node: YamlNode,
  missing = (key: string) => `has no ${key}`,
): z.output<Schema> {
  const result = schema.safeParse(node.value, { error: wordsFor });
  if (result.success) return result.data;
  throw errorOf(node, firstOf(result.error.issues.flatMap(leavesOf)), missing);
}

/** A whole number between two bounds, inclusive. */
export function wholeNumber(min: number, max: number): z.ZodNumber {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

/** A number from 0, as a trial is priced, to `max`. */
export function priceNumber(max: number): z.ZodNumber {
  const error = `must be a number from 0 to ${max}`;
  return z.number({ error }).min(0, { error }).max(max, { error });
}

/** A number above 0, and at most `max`. */
export function positiveNumber(max: number): z.ZodNumber {
  const error = `must be a number above 0, at most ${max}`;
  return z.number({ error }).positive({ error }).max(max, { error });
}

/** A text that is not blank. */
export function text(): z.ZodString {
  return z.string().refine((value) => value.trim() !== '', { error: 'is empty', abort: true });
}

/** A text that fits a pattern. */
export function textLike(pattern: RegExp, meant: string): z.ZodString {
  return text().regex(pattern, { error: ({ input }) => `${quoted(String(input))} is not ${meant}` });
}

/** The name of an environment variable. */
export const variableName = text().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
  error: 'is not the name of an environment variable',
});

/** A section that may be empty: `limits:` without a value is `limits: {}`. */
export function section<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => value ?? {}, schema);
}

/** A list that may be empty. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => value ?? [], z.array(item));
}

/** Adds an issue at a value, or at a path below it, for `validated`. It returns: what follows a call without `return` still runs. */
export function refuse(
  context: z.RefinementCtx,
  message: string,
  hint?: string,
  path: readonly PropertyKey[] = [],
): never {
  context.addIssue({ code: 'custom', message, path: [...path], params: { hint } });
  return z.NEVER;
}

function wordsFor({ code, input, ...issue }: z.core.$ZodRawIssue): string | undefined {
  // Not shown: the known keys, for a suggestion.
  if (code === 'unrecognized_keys') return keysOf(issue.inst).join(KEY_SEPARATOR);
  if (code === 'invalid_value') {
    const values = 'values' in issue && Array.isArray(issue.values) ? issue.values.join(', ') : '';
    return `${typeof input === 'string' ? `${quoted(input)} is not` : 'must be'} one of ${values}`;
  }
  if (code === 'invalid_union') return `must be ${optionsOf(issue)}`;
  if (code === 'invalid_key' && 'issues' in issue && Array.isArray(issue.issues)) {
    return issue.issues[0]?.message;
  }
  if (code !== 'invalid_type' || !('expected' in issue)) return undefined;
  const { expected, inst } = issue;
  if (expected === 'string') {
    return `must be a text${typeof input === 'number' || typeof input === 'boolean' ? ': put it in quotes' : ''}`;
  }
  if (expected === 'object' && inst instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = inst._zod.def;
    const values = [...(inst._zod.propValues[discriminator] ?? [])].map(String).join(', ');
    return `must be a mapping with a ${discriminator}: ${values}`;
  }
  if (expected === 'object') return `must be a mapping with ${keysOf(inst).join(', ')}`;
  return wordsForTypes.get(expected);
}

const wordsForTypes: ReadonlyMap<unknown, string> = new Map([
  ['boolean', 'must be true or false'],
  ['array', 'must be a list'],
  ['record', 'must be a mapping'],
]);

/** The discriminator values of a union. */
function optionsOf(issue: object): string {
  return `one of ${'options' in issue && Array.isArray(issue.options) ? issue.options.join(', ') : ''}`;
}

/** The keys of a mapping's schema. */
function keysOf(schema: z.core.$ZodRawIssue['inst']): readonly string[] {
  const shape: object = Reflect.get(schema?._zod.def ?? {}, 'shape') ?? {};
  return Object.keys(shape);
}

/** The issues of that alternative of a union which takes values of this type. */
function leavesOf(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isOfType = ([first]: readonly z.core.$ZodIssue[]) =>
    first?.code !== 'invalid_type' || first.path.length > 0;
  const issues = issue.errors.find(isOfType) ?? issue.errors[0];
  return issues?.flatMap((inner) => leavesOf({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

/** The first issue, or an unknown key of a mapping around it. */
function firstOf(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const [first] = issues;
  if (first === undefined) throw new Error('a failed validation has no issue');
  // The outermost one, which zod finds last.
  const around = issues.findLast(
    ({ code, path }) => code === 'unrecognized_keys' && path.every((key, index) => first.path[index] === key),
  );
  return around ?? first;
}

function errorOf(root: YamlNode, issue: z.core.$ZodIssue, missing: (key: string) => string): ConfigError {
  const node = nodeAt(root, issue.path);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const child = nodeAt(root, [...issue.path, key]) ?? root;
    return unknownKey(node ?? root, child, key, issue.message.split(KEY_SEPARATOR));
  }
  if (node === undefined) {
    const parent = nodeAt(root, issue.path.slice(0, -1)) ?? root;
    const hint = issue.code === 'invalid_union' ? optionsOf(issue) : hintIn(issue);
    return configErrorAt(parent, missing(String(issue.path.at(-1))), hint);
  }
  const hint =
    issue.code === 'invalid_value' && typeof node.value === 'string'
      ? suggestion(node.value, issue.values.map(String))
      : hintIn(issue);
  return configErrorAt(node, issue.message, hint);
}

function hintIn(issue: z.core.$ZodIssue): string | undefined {
  const hint: unknown = issue.code === 'custom' ? issue.params?.['hint'] : undefined;
  return typeof hint === 'string' ? hint : undefined;
}

/** The node at a path below a node, or its nearest existing ancestor. */
export function nearestNode(root: YamlNode, path: Path): YamlNode {
  const [key, ...rest] = path;
  const child = key === undefined ? undefined : childOf(root, key);
  return child === undefined ? root : nearestNode(child, rest);
}

/** The node at a path below a node, undefined if there is none. */
export function nodeAt(root: YamlNode, path: Path): YamlNode | undefined {
  return path.reduce<YamlNode | undefined>((node, key) => node && childOf(node, key), root);
}

function childOf(node: YamlNode, key: PropertyKey): YamlNode | undefined {
  // Anything else that the schema takes for a list of one.
  if (key === 0 && !Array.isArray(node.value)) return node;
  return node.children.get(String(key));
}

/** An error for an unknown key of a mapping, with the key that was probably meant. */
function unknownKey(parent: YamlNode, child: YamlNode, key: string, known: readonly string[]): ConfigError {
  const at = `${child.file}:${child.line}: unknown key ${child.path.slice(0, 100)}`;
  if (/^(api_?)?(key|token|secret)$/.test(key) && known.includes('api_key_file')) {
    return new ConfigError(at, 'keys are not accepted in the file itself: use api_key_file or api_key_env');
  }
  const close = suggestion(key, known)?.replace(
    'did you mean ',
    parent.path === '' ? '$&' : `$&${parent.path}.`,
  );
  return new ConfigError(at, close ?? `allowed keys: ${known.join(', ')}`);
}

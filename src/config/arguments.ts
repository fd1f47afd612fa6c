import { parseArgs } from 'node:util';
import { ConfigError } from '../text/errors.ts';
import { suggestion } from '../text/suggestion.ts';
import { type Option, type OptionTable, optionsIn, type RawOption, type RawOptions } from './option.ts';
import { quoted } from './parse.ts';

/** The flags of a command line, or a request for help. */
type ParsedArguments = { readonly help: true } | { readonly help: false; readonly flags: RawOptions };

/**
 * Parses the arguments of a command: `--flag value`, `--flag=value`, `--switch`, `--no-switch`. Throws a `ConfigError`
 * for unknown and repeated flags and for anything that is not a flag.
 */
export function parseArguments(args: readonly string[], options: OptionTable): ParsedArguments {
  const known = new Map(optionsIn(options).map((option) => [option.flag, option]));
  const declared = declarationsOf(known.values());
  const { tokens } = parseArgs({
    args: [...args],
    options: declared,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Map<string, RawOption>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      const hint = 'commands accept only flags: --name=value';
      throw new ConfigError(`unexpected argument ${quoted(token.value)}`, hint);
    }
    const written = args[token.index]?.split('=', 1)[0] ?? token.rawName;
    if (token.name === 'help' && (written === '--help' || written === '-h')) return { help: true };
    if (!written.startsWith('--') || !Object.hasOwn(declared, token.name))
      throw unknownFlag(written, declared);
    const option = known.get(token.name);
    const text = textOf(token, written, option);
    const flag = option?.flag ?? token.name.slice('no-'.length);
    const { texts = [] } = flags.get(flag) ?? {};
    if (texts.length > 0 && option?.repeatable !== true) throw new ConfigError(`${written} is given twice`);
    flags.set(flag, { texts: [...texts, text], origin: written });
  }
  return { help: false, flags };
}

/** What `parseArgs` has to know of these options. */
function declarationsOf(options: Iterable<Option>) {
  const declared: Record<string, { type: 'boolean' | 'string'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
  };
  for (const { flag, kind } of options) {
    declared[flag] = { type: kind === 'boolean' ? 'boolean' : 'string' };
    if (kind === 'boolean') declared[`no-${flag}`] = { type: 'boolean' };
  }
  return declared;
}

/** What a flag gives for its option; without one, it is a `--no-switch`. */
function textOf(
  { value, inlineValue }: { value?: string | undefined; inlineValue?: boolean | undefined },
  written: string,
  option: Option | undefined,
): string {
  if (option === undefined && value !== undefined) throw new ConfigError(`${written} takes no value`);
  if (option === undefined) return 'false';
  if (option.kind === 'boolean') return value ?? 'true';
  if (value !== undefined && (inlineValue === true || !value.startsWith('--'))) return value;
  throw new ConfigError(`${written} needs a value`, `write ${written}=<${option.kind}>`);
}

// The value is omitted from the message: it may be a key that was mistaken for a flag's value.
function unknownFlag(written: string, declared: object): ConfigError {
  const name = written.replace(/^-+/, '');
  if (/^(api[._-]?)?(key|token)([._-]?file)?$/i.test(name)) {
    return new ConfigError(
      `${written} is not a flag: keys are not accepted on the command line`,
      'set AGENT_PLATFORM_API_KEY or AGENT_PLATFORM_API_KEY_FILE instead',
    );
  }
  const known = Object.keys(declared).map((flag) => `--${flag}`);
  return new ConfigError(`unknown flag ${written.slice(0, 100)}`, suggestion(`--${name}`, known));
}

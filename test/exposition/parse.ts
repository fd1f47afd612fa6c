/** One sample line as parsed by an independent reader: names and labels unescaped, the value as written. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: string;
}

/** A parsed page: a small independent parser of what both text formats share. */
export interface ParsedPage {
  readonly samples: readonly ParsedSample[];
  readonly help: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  readonly ended: boolean;
}

/** Parses a page; throws on an illegal line, and on a family that is declared twice. */
export function parsePage(text: string): ParsedPage {
  const samples: ParsedSample[] = [];
  const help = new Map<string, string>();
  const types = new Map<string, string>();
  let ended = false;
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no line end');
  for (const line of text.split('\n').slice(0, -1)) {
    if (ended) throw new Error(`after the end: ${line}`);
    if (line === '') continue;
    if (line === '# EOF') {
      ended = true;
      continue;
    }
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/s.exec(line) ?? [];
    if (keyword === undefined) {
      samples.push(parseSample(line));
      continue;
    }
    const known = keyword === 'HELP' ? help : types;
    if (known.has(name)) throw new Error(`duplicate ${keyword} of ${name}`);
    known.set(name, rest);
  }
  return { samples, help, types, ended };
}

function parseSample(line: string): ParsedSample {
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line)?.[0] ?? '';
  const labels = new Map<string, string>();
  let at = name.length;
  if (name === '') throw new Error(`no name: ${line}`);
  if (line[at] === '{') {
    at += 1;
    while (line[at] !== '}') {
      const label = /^[a-zA-Z_][a-zA-Z0-9_]*="/.exec(line.slice(at))?.[0] ?? '';
      if (label === '') throw new Error(`no label at ${at}: ${line}`);
      const value = readQuoted(line, at + label.length);
      if (labels.has(label.slice(0, -2))) throw new Error(`duplicate label: ${line}`);
      labels.set(label.slice(0, -2), value.text);
      at = value.end;
      if (line[at] === ',') at += 1;
    }
    at += 1;
  }
  if (line[at] !== ' ') throw new Error(`no value: ${line}`);
  const value = line.slice(at + 1);
  if (!/^(NaN|[+-]Inf|[+-]?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(value)) throw new Error(`no number: ${line}`);
  return { name, labels, value };
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n' };

function readQuoted(line: string, start: number): { text: string; end: number } {
  let text = '';
  for (let at = start; at < line.length; at++) {
    const character = line[at] ?? '';
    if (character === '"') return { text, end: at + 1 };
    if (character === '\\') {
      at += 1;
      const meant = ESCAPES[line[at] ?? ''];
      if (meant === undefined) throw new Error(`unknown escape: ${line}`);
      text += meant;
    } else {
      text += character;
    }
  }
  throw new Error(`no closing quote: ${line}`);
}

/** Identifies a series, for finding duplicates. */
export function identityOf({ name, labels }: ParsedSample): string {
  return JSON.stringify([name, ...[...labels].sort()]);
}

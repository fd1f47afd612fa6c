// Prints the lines of code by room: without blank lines and comments, at the formatter's width. `src` also by folder.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'rolldown/utils';

const ROOMS = ['src', 'test', 'bench', 'dashboards/src', 'alerts/src', 'scripts'];

function linesOfCode(file: string): number {
  const text = readFileSync(file, 'utf8');
  const { comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  let code = '';
  let end = 0;
  for (const comment of comments) {
    // The lines that a comment occupies end up blank, unless they also contain code.
    const blank = text.slice(comment.start, comment.end).replace(/[^\n]/g, ' ');
    code += text.slice(end, comment.start) + blank;
    end = comment.end;
  }
  code += text.slice(end);
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

function print(name: string, lines: number, files: number): void {
  console.log(`${name.padEnd(24)}${String(lines).padStart(8)}${String(files).padStart(8)}`);
}

console.log(`${'room'.padEnd(24)}${'lines'.padStart(8)}${'files'.padStart(8)}`);
for (const room of ROOMS) {
  const counted = new Map<string, number[]>();
  for (const file of globSync(`${room}/**/*.ts`)) {
    const folder = path.relative(room, file).split(path.sep).slice(0, -1)[0] ?? '.';
    counted.set(folder, [...(counted.get(folder) ?? []), linesOfCode(file)]);
  }
  const sum = (lines: readonly number[]): number => lines.reduce((total, one) => total + one, 0);
  if (room === 'src')
    for (const [folder, lines] of [...counted].sort()) print(`src/${folder}`, sum(lines), lines.length);
  const all = [...counted.values()].flat();
  print(room, sum(all), all.length);
}

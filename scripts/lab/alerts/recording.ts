import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The interval of samples and evaluations, in seconds. */
export const STEP_S = 7200;

type Labels = Readonly<Record<string, string>>;

/** Collects samples of the families that the rules ask for, in a file for each month, as promtool reads them. */
export interface Recording {
  /** A sample at an instant in milliseconds. */
  put(at: number, name: string, labels: Labels, value: number): void;
  /** Writes the files into a folder. */
  write(folder: string): void;
}

/** Creates a recording of the families with these names. */
export function createRecording(names: ReadonlySet<string>): Recording {
  /** Lines by month and family, because a family's samples stand together. */
  const months = new Map<string, Map<string, string[]>>();
  const texts = new WeakMap<Labels, string>();
  return {
    put(at, name, labels, value) {
      if (!names.has(name)) return;
      const month = new Date(at).toISOString().slice(0, 7);
      const families = months.get(month) ?? new Map<string, string[]>();
      months.set(month, families);
      const lines = families.get(name) ?? [];
      families.set(name, lines);
      const text = texts.get(labels) ?? written(labels);
      texts.set(labels, text);
      lines.push(`${name}{${text}} ${value} ${at / 1000}\n`);
    },
    write(folder) {
      for (const [month, families] of months) {
        const blocks = [...families].map(([name, lines]) => `# TYPE ${name} unknown\n${lines.join('')}`);
        writeFileSync(join(folder, `${month}.om`), `${blocks.join('')}# EOF\n`);
      }
    },
  };
}

function written(labels: Labels): string {
  const all = Object.entries(labels).map(([label, value]) => `,${label}=${JSON.stringify(value)}`);
  return `job="agent-platform"${all.join('')}`;
}

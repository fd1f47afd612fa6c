import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}

interface StoryFile {
  readonly rule_files: readonly [string];
  readonly evaluation_interval: string;
  readonly tests: readonly { readonly name: string }[];
}

/** One test of a file in `alerts/tests`, with the rules that it names. */
interface RuleStory {
  /** The file and the test's own name. */
  readonly name: string;
  /** The rules, and the test that reads them as `rules.yaml`, as promtool takes them. */
  readonly rules: string;
  readonly test: string;
}

/**
 * The tests in `alerts/tests`, each with the rules alone that it names. promtool compares nothing else, but evaluates every
 * rule of a file at every step: with all rules, the same tests take ten times as long.
 */
export function ruleStories(alerts: string): readonly RuleStory[] {
  return globSync('tests/*.yaml', { cwd: alerts })
    .sort()
    .flatMap((file) => {
      const {
        tests,
        rule_files: given,
        ...settings
      } = parse(readFileSync(join(alerts, file), 'utf8')) as StoryFile;
      const rules = parse(readFileSync(join(alerts, 'tests', given[0]), 'utf8')) as RuleFile;
      return tests.map((story) => ({
        name: `${file}: ${story.name}`,
        rules: text(rulesNamedIn(JSON.stringify(story), rules)),
        test: text({ rule_files: ['rules.yaml'], ...settings, tests: [story] }),
      }));
    });
}

function text(document: unknown): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The rules whose names are in a text, and those whose results these read. */
function rulesNamedIn(story: string, { groups }: RuleFile): RuleFile {
  const all = groups.flatMap(({ rules }) => rules);
  const named = new Set<string>();
  const open = [story];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const rule of all) {
      const name = nameOf(rule);
      if (named.has(name) || !new RegExp(`(?<![\\w:])${name}(?![\\w:])`).test(next)) continue;
      named.add(name);
      open.push(rule.expr);
    }
  }
  return {
    groups: groups
      .map((group) => ({ ...group, rules: group.rules.filter((rule) => named.has(nameOf(rule))) }))
      .filter(({ rules }) => rules.length > 0),
  };
}

function nameOf({ alert, record }: Rule): string {
  return alert ?? record ?? '';
}

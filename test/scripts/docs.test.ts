import { expect, test } from 'vitest';
import { renderExample } from '../../scripts/docs/example-file.ts';
import { renderConfigurationDocs } from '../../scripts/docs/options.ts';
import { sandboxOptions } from '../../src/config/command-options.ts';
import { fileKeys } from '../../src/config/file-keys.ts';
import { orgSchema, readinessSchema } from '../../src/config/file-sections.ts';
import { fileKeyOf, type OptionTable, variableOf } from '../../src/config/option.ts';
import { createOptions } from '../../src/config/options.ts';
import { collectors, load } from '../config/loading.ts';

const text = renderConfigurationDocs(collectors);

test('every option is documented with its variable, file key and default', () => {
  const options: OptionTable = { ...createOptions(collectors), ...sandboxOptions };
  for (const [name, option] of Object.entries(options)) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`--${name}\``)) ?? '';
    expect(row).toContain(`\`${variableOf(name, option)}\``);
    expect(row).toContain(option.description);
    const fileKey = fileKeyOf(name, option);
    if (fileKey !== undefined) expect(row).toContain(`\`${fileKey.join('.')}\``);
    if (option.default !== undefined) expect(row).toContain(`| \`${option.default}\` |`);
  }
});

test('every key that exists only in the file is documented', () => {
  expect(fileKeys.map(({ path }) => path)).toEqual([
    ...Object.keys(orgSchema.shape).map((key) => `orgs[].${key}`),
    ...['values_per_label', 'series'].map((key) => `limits.${key}`),
    ...Object.keys(readinessSchema.shape).map((key) => `readiness.${key}`),
  ]);
});

test('the whole file is valid, and has the effective defaults', async () => {
  const yaml = renderExample(createOptions(collectors));
  const given = { args: ['--config.file=c.yml'], files: { 'c.yml': yaml, '/run/secrets/acme': 'k' } };
  const { orgs, limits, people, file: _file, ...rest } = await load({ ...given, organizations: 'required' });
  const { limits: defaultLimits, people: defaultPeople, orgs: _, file: __, ...defaults } = await load({});
  expect(rest).toEqual(defaults);
  expect(people.identity).toBe(defaultPeople.identity);
  expect(limits.series).toBe(defaultLimits.series);
  for (const label of ['model', 'repo', 'user']) {
    expect(limits.valuesPerLabel(label)).toBe(defaultLimits.valuesPerLabel(label));
  }
  expect(orgs).toMatchObject([
    { name: 'acme', baseUrl: 'https://api.example.com', appUrl: 'https://app.example.com' },
  ]);
});

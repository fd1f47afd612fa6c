import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { jsonSchemaOf } from '../../scripts/schema/json-schema.ts';
import { publishedSchemas } from '../../scripts/schema/published.ts';
import { collectors as realCollectors } from '../../src/collectors/index.ts';
import { fileSchema } from '../../src/config/file-schema.ts';
import { createOptions } from '../../src/config/options.ts';
import { caseFiles, withFiles } from '../web-config/folder.ts';
import { collectors } from './loading.ts';

const root = new URL('../../', import.meta.url);
const published = publishedSchemas(realCollectors);
const labels = collectors.flatMap(({ families = [] }) => families.flatMap((family) => family.labels));
const schemas = {
  exporter: jsonSchemaOf(fileSchema(createOptions(collectors), labels)),
  'web-config': JSON.parse(published['web-config']) as object,
  hooks: JSON.parse(published.hooks) as object,
  teams: JSON.parse(published.teams) as object,
};

const validators = new WeakMap<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const validate = validators.get(schema) ?? new Ajv({ strict: false }).compile(schema);
  validators.set(schema, validate);
  return validate;
}

/** Whether an editor that checks a file by one of the schemas, or its YAML, marks an error. */
function isFlagged(name: keyof typeof schemas, text: string, schema: object = schemas[name]): boolean {
  const document = parseDocument(text, { merge: true });
  if (document.errors.length > 0 || document.warnings.length > 0) return true;
  let value: unknown;
  try {
    value = document.toJS();
  } catch {
    return true;
  }
  return !validatorOf(schema)(value);
}

describe.each([
  ['exporter', 'test/config/cases/', 0.8],
  // A fifth of these cases is about the content of certificates and keys, which no schema can see.
  ['web-config', 'test/web-config/cases/', 0.6],
] as const)('the schema %s', (name, folder, share) => {
  const cases = readdirSync(new URL(folder, root)).map((file) => {
    const text = readFileSync(new URL(`${folder}${file}`, root), 'utf8');
    return { file, flagged: isFlagged(name, withFiles(text, caseFiles())) };
  });

  test('accepts every valid case', () => {
    expect(cases.filter(({ file, flagged }) => file.endsWith('.ok.yml') && flagged)).toEqual([]);
  });

  test('flags most invalid cases', () => {
    const invalid = cases.filter(({ file }) => file.endsWith('.bad.yml'));
    const missed = invalid.filter(({ flagged }) => !flagged).map(({ file }) => file);
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(invalid.length * (1 - share));
  });
});

test.each([
  ['exporter', 'compose/exporter/demo.yml'],
  ['exporter', 'packaging/linux/config.yaml'],
  ['teams', 'compose/exporter/teams.yaml'],
] as const)('%s: %s is valid, and names its schema for editors', (name, file) => {
  const text = readFileSync(new URL(file, root), 'utf8');
  expect(isFlagged(name, text, JSON.parse(published[name]) as object)).toBe(false);
  expect(text).toContain('# yaml-language-server: $schema=');
  expect(text).toContain(`docs/schema/${name}.schema.json`);
});

test.each([
  ['exporter', 'metrics: {exclude: [agent_platform_daily_credits_by_model]}\n', false],
  ['exporter', 'web: {allowed_hosts: exporter.example.com}\n', false],
  ['hooks', 'forward: {url: "https://a.example", token_env: T}\n', false],
  ['hooks', 'deadline: soon\n', true],
  ['hooks', 'rules: [{channels: desktop, event: Stop}]\n', true],
  ['hooks', 'channels: {chat: {type: mail}}\n', true],
  ['teams', 'u_1: core\n"*@a.example": web\ncredits_per_month: {core: 5}\n', false],
  ['teams', 'u_1: 3\n', true],
  ['teams', 'credits_per_month: {core: many}\n', true],
  ['teams', 'people: {core: [{email: a@a.example, logins: {copilot: octo-a}}]}\n', false],
  ['teams', 'people: {core: [{email: a@a.example, logins: {gitlab: a}}]}\n', true],
] as const)('%s: %j', (name, text, flagged) => {
  expect(isFlagged(name, text)).toBe(flagged);
});

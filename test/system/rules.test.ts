import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createPrograms } from './programs.ts';
import { ruleStories } from './rule-stories.ts';
import { requireTool } from './tools.ts';

const ALERTS = fileURLToPath(new URL('../../alerts/', import.meta.url));
const RULES = ['agent-platform-exporter.rules.yaml', 'agent-platform-exporter.recording.rules.yaml'];

describe.runIf(requireTool('promtool'))('promtool', () => {
  const programs = createPrograms();

  test.each(RULES)('accepts %s', async (rules) => {
    const { code, stdout, stderr } = await programs.run('promtool', [
      'check',
      'rules',
      '--lint=all',
      '--lint-fatal',
      `${ALERTS}${rules}`,
    ]);
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/SUCCESS: \d+ rules found/), '']);
  });

  test.concurrent.each(ruleStories(ALERTS))('sees what is expected in $name', async ({ rules, test }) => {
    const folder = programs.folder();
    await writeFile(join(folder, 'rules.yaml'), rules);
    await writeFile(join(folder, 'test.yaml'), test);
    const { code, stdout, stderr } = await programs.run('promtool', [
      'test',
      'rules',
      join(folder, 'test.yaml'),
    ]);
    expect([code, stderr], stdout).toEqual([0, '']);
  });
});

describe.runIf(requireTool('amtool'))('amtool', () => {
  const programs = createPrograms();
  const example = `${ALERTS}alertmanager.example.yaml`;

  test('accepts the example configuration', async () => {
    const { code, stdout, stderr } = await programs.run('amtool', ['check-config', example]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/6 inhibit rules[\s\S]*3 receivers/);
  });

  test.each([
    ['critical', 'ExporterDown', 'on-call'],
    ['warning', 'CollectionFailing', 'chat'],
    ['warning', 'BudgetExceeded', 'chat'],
    ['info', 'AdoptionDropped', 'chat'],
    ['info', 'ReadinessReportOld', 'digest'],
  ])('routes what is %s, such as %s, to %s', async (severity, name, receiver) => {
    const args = ['config', 'routes', 'test', `--config.file=${example}`, `--verify.receivers=${receiver}`];
    const alert = [`severity=${severity}`, `alertname=AgentPlatform${name}`, 'org=acme'];
    const { code, stdout } = await programs.run('amtool', [...args, ...alert]);
    expect([code, stdout.trim()]).toEqual([0, receiver]);
  });
});

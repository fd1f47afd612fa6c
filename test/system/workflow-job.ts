import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY } from './image.ts';
import type { Programs } from './programs.ts';

interface Step {
  readonly id?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
}

interface Job {
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly defaults?: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Place {
  /** The checkout. */
  readonly folder: string;
  /** What expressions stand for, such as `github.ref_name`; any other one is an error. */
  readonly context?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Which commands are run; all if undefined. */
  readonly only?: (step: Step) => boolean;
}

/**
 * Runs the commands of a job one after the other, as the forge does: in a shell each, with the environment of job and step.
 * Resolves with the outputs of its steps, and the output of the command that failed, if one did.
 */
export async function runJob(programs: Programs, file: string, name: string, place: Place) {
  const workflow = parse(readFileSync(join(REPOSITORY, '.github/workflows', file), 'utf8')) as Workflow;
  const job = workflow.jobs[name];
  if (job === undefined) throw new Error(`${file} has no job ${name}`);
  const outputs: Record<string, string> = {};
  const context: Record<string, string> = { ...place.context };
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, expression: string) => {
      const value = context[expression];
      if (value === undefined) throw new Error(`${file}: ${expression} is not known`);
      return value;
    });
  const temporary = programs.folder();
  const options = workflow.defaults?.run.shell === 'bash' ? ['-eo', 'pipefail'] : ['-e'];
  for (const step of job.steps) {
    if (step.run === undefined || place.only?.(step) === false) continue;
    const [script, output] = [join(temporary, 'step.sh'), join(temporary, 'output')];
    await writeFile(
      script,
      `cd '${join(place.folder, step['working-directory'] ?? '')}'\n${filled(step.run)}\n`,
    );
    await writeFile(output, '');
    const own = Object.entries({ ...job.env, ...step.env }).map(([key, value]) => [key, filled(value)]);
    const environment = { ...place.environment, ...Object.fromEntries(own) };
    const forge = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: output, RUNNER_TEMP: temporary };
    const ran = await programs.run('bash', ['--noprofile', '--norc', ...options, script], {
      environment: { ...environment, ...forge },
    });
    if (ran.code !== 0) return { outputs, failure: `${step.run}\n${ran.stdout}${ran.stderr}` };
    for (const [, key = '', value = ''] of readFileSync(output, 'utf8').matchAll(/^(\w+)=(.*)$/gm)) {
      outputs[key] = value;
      context[`steps.${step.id}.outputs.${key}`] = value;
    }
  }
  return { outputs, failure: undefined };
}

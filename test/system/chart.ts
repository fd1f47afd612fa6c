import { readdirSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from './image.ts';
import type { Programs } from './programs.ts';

export const CHART = join(REPOSITORY, 'helm');

/** The resources that the chart creates if the cluster has their kinds. */
export const extensions = [
  'monitoring.coreos.com/v1',
  'monitoring.coreos.com/v1alpha1',
  'grafana.integreatly.org/v1beta1',
  'gateway.networking.k8s.io/v1',
];

/** The names of the values of a release of each shape. */
export const shapes: readonly string[] = readdirSync(join(CHART, 'ci')).map((file) =>
  file.replace(/-values\.yaml$/, ''),
);

const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

export type KubernetesObject = z.infer<typeof object>;

interface Rendering {
  /** Without one, the chart's own values. */
  readonly shape?: string;
  /** Values in addition to those of the shape, as YAML. */
  readonly values?: string;
  readonly version?: string;
  readonly knows?: readonly string[];
  readonly isUpgrade?: boolean;
  readonly showOnly?: string;
}

interface Chart {
  /** The output of `helm template`; rejects with its error. */
  text(rendering: Rendering): Promise<string>;
  objects(rendering: Rendering): Promise<readonly KubernetesObject[]>;
  /** The notes that `helm install` prints. */
  notes(rendering: Rendering): Promise<string>;
}

/** The chart as rendered by a real Helm. */
export function createChart(programs: Programs): Chart {
  async function render(chart: string, { shape, values, version = '1.32.0', ...more }: Rendering) {
    const args = ['template', 'test', chart, '--namespace', 'monitoring', '--kube-version', version];
    if (shape !== undefined) args.push('--values', join(CHART, 'ci', `${shape}-values.yaml`));
    if (values !== undefined) {
      const file = join(programs.folder(), 'values.yaml');
      await writeFile(file, values);
      args.push('--values', file);
    }
    for (const api of more.knows ?? extensions) args.push('--api-versions', api);
    if (more.isUpgrade) args.push('--is-upgrade');
    if (more.showOnly !== undefined) args.push('--show-only', more.showOnly);
    const { code, stdout, stderr } = await programs.run('helm', args);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  return {
    text: (rendering) => render(CHART, rendering),
    async notes(rendering) {
      const copy = join(programs.folder(), basename(CHART));
      await cp(CHART, copy, { recursive: true });
      const include = '{{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}';
      await writeFile(join(copy, 'templates/notes.yaml'), `notes: ${include}\n`);
      const rendered = await render(copy, { ...rendering, showOnly: 'templates/notes.yaml' });
      return z.object({ notes: z.string() }).parse(parse(rendered)).notes;
    },
    objects: async (rendering) => parseObjects(await render(CHART, rendering)),
  };
}

/** The objects in a text of several YAML documents; throws if one is not an object. */
export function parseObjects(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(String(document.errors[0]));
    const value: unknown = document.toJS();
    return value === null ? [] : [object.parse(value)];
  });
}

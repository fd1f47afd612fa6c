import settings from '../../project.json' with { type: 'json' };

/** Where the project is published and by whom: the only file that a fork changes. */
export interface Project {
  readonly repository: string;
  /** Name of the npm package, with its scope. */
  readonly package: string;
  /** Image without a tag. */
  readonly image: string;
  /** OCI repository of the chart, without the chart's name. */
  readonly charts: string;
  readonly author: string;
  readonly contact: string;
}

export const project: Project = settings;

/** The URL of a page of the documentation of a project at `repository`. */
export function documentUrl({ repository }: Project, file: string): string {
  return `${repository}/blob/main/${file}`;
}

/** The URL of a published JSON Schema. */
export function schemaUrl({ repository }: Project, name: string): string {
  return `${repository}/raw/main/docs/schema/${name}.schema.json`;
}

/** Registry and repository of the image, separately as in the chart. */
export function imageParts({ image }: Project): { readonly registry: string; readonly repository: string } {
  const [registry = '', ...path] = image.split('/');
  return { registry, repository: path.join('/') };
}

/** The settings that are still placeholders: their host cannot be owned by anyone. */
export function placeholders(candidate: Project): readonly string[] {
  return Object.entries(candidate)
    .filter(([, value]) => /(?:^|\.)example\.(?:com|org|net)$/.test(hostOf(value)))
    .map(([name]) => name);
}

function hostOf(value: string): string {
  return value
    .replace(/^https?:\/\//, '')
    .replace(/[/:].*$/s, '')
    .replace(/^.*@/, '');
}

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const content = z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) }));
const response = z.object({ $ref: z.string().optional(), content: content.optional() });
const operation = z.object({ operationId: z.string(), responses: z.record(z.string(), response) });
const documentSchema = z.object({
  openapi: z.string(),
  info: z.object({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.enum(['get', 'post']), operation.optional())),
  components: z.object({
    responses: z.record(z.string(), z.object({ content })),
    schemas: z.record(z.string(), z.unknown()),
  }),
});

type Content = z.infer<typeof content>;

/** One operation of `docs/openapi.yaml`. */
export interface Operation {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** The content of each described status, and of `default`. */
  readonly answers: ReadonlyMap<string, Content>;
}

const text = readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8');

/** The description as it is, for references into it. */
export const openapi: Record<string, unknown> = parse(text);

const { paths, components, info } = documentSchema.parse(openapi);

/** The version that the description is of. */
export const describedVersion: string = info.version;

/** Every described operation. */
export const operations: readonly Operation[] = Object.entries(paths).flatMap(([path, item]) =>
  (['get', 'post'] as const).flatMap((method) => {
    const found = item[method];
    if (found === undefined) return [];
    const answers = Object.entries(found.responses).map(
      ([status, given]) => [status, contentOf(given)] as const,
    );
    return [{ method, path, answers: new Map(answers) }];
  }),
);

function contentOf({ $ref, content: own }: z.infer<typeof response>): Content {
  const shared = components.responses[$ref?.split('/').at(-1) ?? ''];
  const found = own ?? shared?.content;
  if (found === undefined) throw new Error(`an answer has no content: ${$ref}`);
  return found;
}

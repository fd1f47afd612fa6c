/** A JSON schema, as far as the chart needs one. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export const text: Schema = { type: 'string' };
export const filled: Schema = { type: 'string', minLength: 1 };
export const flag: Schema = { type: 'boolean' };
/** Defined and validated by Kubernetes itself. */
export const anyObject: Schema = { type: 'object' };
export const anyObjects: Schema = { type: 'array', items: anyObject };
export const texts: Schema = { type: 'array', items: filled };
/** Labels and annotations, whose values must be strings in Kubernetes. */
export const textMap: Schema = { type: 'object', additionalProperties: text };
export const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
export const path: Schema = { type: 'string', pattern: '^/' };
const exponent = '([eE][+-]?[0-9]+)?';

/** A number from 0 on. `helm --set` passes a fraction as text. */
export const number: Schema = {
  type: ['number', 'string'],
  minimum: 0,
  pattern: `^[0-9]+(\\.[0-9]+)?${exponent}$`,
};
/** A number above 0. */
export const positive: Schema = {
  type: ['number', 'string'],
  exclusiveMinimum: 0,
  pattern: `^(0*[1-9][0-9]*(\\.[0-9]+)?|0+\\.0*[1-9][0-9]*)${exponent}$`,
};
/** A duration in Prometheus' format. */
export const duration: Schema = {
  type: 'string',
  pattern: '^(0|([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?)$',
  minLength: 1,
};

export function whole(minimum: number): Schema {
  return { type: 'integer', minimum };
}

export function choice(...values: readonly string[]): Schema {
  return { enum: values };
}

/** A mapping with exactly these keys. */
export function strict(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema {
  const needs = required.length === 0 ? {} : { required };
  return { type: 'object', properties, ...needs, additionalProperties: false };
}

/** A mapping defined by Kubernetes, without these keys, which the chart sets. */
export function without(...keys: readonly string[]): Schema {
  return { type: 'object', propertyNames: { not: { enum: keys } } };
}

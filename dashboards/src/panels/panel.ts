import type * as cog from '@grafana/grafana-foundation-sdk/cog';
import type { DynamicConfigValue, Panel, Threshold } from '@grafana/grafana-foundation-sdk/dashboard';
import {
  DashboardLinkBuilder,
  FieldColorBuilder,
  FieldColorModeId,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { isExcludable } from '../catalogue.ts';
import { type Described, isOfOnePlatform } from '../expression.ts';
import { palette, sequence, TEXT, WARNING_TEXT } from '../palette.ts';
import { type Look, type Query, STEPS, type Steps, targetOf } from '../query.ts';
import { DATASOURCE } from '../variables.ts';
import { COMMON_VARIABLES } from './drill.ts';

/** The properties of every panel. */
export interface PanelSpec {
  readonly title: string;
  /** The meaning of the panel, for a first-time reader. */
  readonly text: string;
  /** A Grafana unit, such as `percentunit` or `s`: `short` by default, for counts. */
  readonly unit?: string;
  readonly queries: readonly Query[];
  /** Shown if there is no value. */
  readonly noValue?: string;
  readonly decimals?: number;
  readonly min?: number;
  readonly max?: number;
  /** Only for ratios, ages and budgets: the values from which colours change. */
  readonly steps?: Steps;
  /** Overrides of the series with these names, by their ids. */
  readonly overrides?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The dashboard with details. */
  readonly to?: { readonly uid: string; readonly title: string };
}

/** A panel and its size on the grid of 24 columns. */
export interface Placed {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly panel: PanelBuilding;
}

/** Panels of one width, below each other. */
export interface Column {
  readonly width: number;
  readonly column: readonly Placed[];
}

export interface PanelBuilding extends cog.Builder<Panel> {
  id(id: number): this;
  gridPos(position: { h: number; w: number; x: number; y: number }): this;
}

/** The common part of the builders of all panel types. */
interface CommonBuilder extends PanelBuilding {
  title(title: string): this;
  description(description: string): this;
  datasource(datasource: typeof DATASOURCE): this;
  withTarget(target: cog.Builder<cog.Dataquery>): this;
  unit(unit: string): this;
  decimals(decimals: number): this;
  min(min: number): this;
  max(max: number): this;
  noValue(text: string): this;
  interval(interval: string): this;
  maxDataPoints(points: number): this;
  links(links: DashboardLinkBuilder[]): this;
  thresholds(thresholds: ThresholdsConfigBuilder): this;
  colorScheme(color: FieldColorBuilder): this;
  overrideByQuery(refId: string, properties: DynamicConfigValue[]): this;
  overrideByName(name: string, properties: DynamicConfigValue[]): this;
}

const NO_VALUE = 'No data';
/** The hourly grid of the day panels. */
const NO_DAY = 'No day yet: the first day appears after the next full hour, past days after a backfill';

/** More than any screen shows, so that the step of a day panel stays one day over years. */
const MAX_DATA_POINTS = 1000;

interface Dressing {
  /** Whether the series take their colours from elsewhere. */
  readonly plain?: boolean;
  /** Whether values, where there is room for a word only, say by themselves that their metric is left out. */
  readonly large?: boolean;
}

/** Adds the properties of all panels. */
export function dressed<Builder extends CommonBuilder>(
  builder: Builder,
  spec: PanelSpec & Dressing,
): Builder {
  const { title, queries, unit = 'short', decimals, min, max, steps, to } = spec;
  builder.title(title).description(descriptionOf(spec)).datasource(DATASOURCE).unit(unit);
  builder.noValue(noValueOf(spec));
  if (decimals !== undefined) builder.decimals(decimals);
  if (min !== undefined) builder.min(min);
  if (max !== undefined) builder.max(max);
  builder.thresholds(thresholdsOf(spec));
  if (steps !== undefined) builder.colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds));
  if (to !== undefined) builder.links([linkTo(to)]);
  for (const [index, query] of queries.entries()) {
    const refId = refIdOf(index);
    builder.withTarget(targetOf(query, refId));
    const coloured = steps === undefined && spec.plain !== true;
    const own = spec.large ? TEXT : colourAt(index);
    const properties = propertiesOf(query.look, coloured ? own : undefined, spec.large);
    if (properties.length > 0) builder.overrideByQuery(refId, properties);
    for (const [name, colour] of Object.entries(query.look.colours ?? {}))
      builder.overrideByName(name, propertiesOf({}, colour));
  }
  for (const [name, properties] of Object.entries(spec.overrides ?? {}))
    builder.overrideByName(name, overridesOf(properties));
  for (const shape of ['days', 'weeks'] as const)
    if (queries.some((query) => query.shape === shape))
      builder.interval(STEPS[shape]).maxDataPoints(MAX_DATA_POINTS);
  return builder;
}

/** The cells of a table have no room for reasons. */
const NO_CELL = '–';

function noValueOf({ queries, large = false, ...spec }: PanelSpec & Dressing): string {
  const byDay = queries.every(({ shape }) => shape in STEPS);
  const { noValue = byDay ? NO_DAY : NO_VALUE } = spec;
  if (large || noValue === NO_CELL) return noValue;
  const about = queries.flatMap(({ expression }) => expression.about);
  const ofOne = queries.some(({ expression }) => isOfOnePlatform(expression));
  const excluded = about.some(({ name }) => isExcludable(name)) ? ' (or not published)' : '';
  return `${ofOne ? 'Of several platforms, choose one. ' : ''}${noValue}${excluded}`;
}

function thresholdsOf({ steps, large = false }: PanelSpec & Dressing): ThresholdsConfigBuilder {
  const builder = new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute);
  // The numbers of a tile without bounds have fixed colours: this one is left for the text without a number.
  const only = step(null, large ? palette.quiet : palette.main);
  return builder.steps(steps === undefined ? [only] : stepsOf(steps, large));
}

/** The first step is the colour of an absent value: no number is below zero. */
function stepsOf({ warn, alarm, absence = 'calm' }: Steps, large = false): Threshold[] {
  const [calm, warning] = large ? [palette.third, WARNING_TEXT] : [palette.main, palette.second];
  const absent = step(null, absence === 'calm' ? palette.quiet : palette.alarm);
  return warn < alarm
    ? [absent, step(0, calm), step(warn, warning), step(alarm, palette.alarm)]
    : [absent, step(0, palette.alarm), step(alarm, warning), step(warn, calm)];
}

export function step(value: number | null, color: string): Threshold {
  return { value, color };
}

/** The meaning of the panel, and its metrics with the fields of the API behind them. */
function descriptionOf({ text, queries }: PanelSpec): string {
  const about = new Map<string, Described>();
  for (const { expression } of queries) for (const metric of expression.about) about.set(metric.name, metric);
  const metrics = [...about.values()].map(
    ({ name, help, source }) => `- \`${name}\`: ${help} Source: ${source}.`,
  );
  const ofOne = queries.some(({ expression }) => isOfOnePlatform(expression));
  const note = ofOne ? ' Of several platforms, choose one.' : '';
  return [text + note, '', ...metrics].join('\n').trim();
}

/** A number in a tile is read as text: the light colours of lines and bars are too pale for it on white. */
function ofNumber(colour: string): string {
  return colour === palette.main || colour === palette.second ? TEXT : colour;
}

function propertiesOf(look: Look, colour: string | undefined, large = false): DynamicConfigValue[] {
  const { unit, decimals, draw, steps, onTheRight } = look;
  return overridesOf({
    color: colourOf(look, colour, large),
    thresholds: steps && { mode: ThresholdsMode.Absolute, steps: stepsOf(steps, large) },
    unit,
    decimals,
    'custom.axisPlacement': onTheRight && 'right',
    ...(draw && drawn(draw)),
  });
}

function colourOf(look: Look, colour = '', large = false) {
  if (look.steps !== undefined) return { mode: FieldColorModeId.Thresholds };
  if (look.palette === 'series') return { mode: FieldColorModeId.PaletteClassic };
  const { colour: given = colour } = look;
  if (look.palette === 'shades') return { mode: FieldColorModeId.Shades, fixedColor: given };
  return given === '' ? undefined : { mode: 'fixed', fixedColor: large ? ofNumber(given) : given };
}

/** Grafana's overrides by their ids, without those that are undefined. */
export function overridesOf(values: Readonly<Record<string, unknown>>): DynamicConfigValue[] {
  return Object.entries(values).flatMap(([id, value]) => (value === undefined ? [] : [{ id, value }]));
}

/**
 * Prometheus omits an absent day: without a value inserted, a line would continue over it. Grafana inserts none if this
 * differs from the step.
 */
export const DAY_MS = 86_400_000;

function drawn(draw: 'line' | 'dashes' | 'bars'): Readonly<Record<string, unknown>> {
  if (draw === 'bars')
    return {
      'custom.drawStyle': 'bars',
      'custom.fillOpacity': 60,
      'custom.lineWidth': 0,
      'custom.barAlignment': 1,
    };
  return {
    'custom.drawStyle': 'line',
    'custom.fillOpacity': 0,
    'custom.lineWidth': 2,
    'custom.showPoints': 'never',
    'custom.insertNulls': DAY_MS,
    'custom.stacking': { mode: 'none', group: 'A' },
    'custom.lineStyle': draw === 'dashes' ? { fill: 'dash', dash: [8, 8] } : undefined,
  };
}

function colourAt(index: number): string {
  return sequence[index % sequence.length] ?? palette.main;
}

/** `A`, `B` …, as Grafana names queries. */
export function refIdOf(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

function linkTo({ uid, title }: { readonly uid: string; readonly title: string }): DashboardLinkBuilder {
  return new DashboardLinkBuilder(title).url(`/d/${uid}?${COMMON_VARIABLES}`).targetBlank(false);
}

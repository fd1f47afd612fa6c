import type * as cog from '@grafana/grafana-foundation-sdk/cog';
import type * as sdk from '@grafana/grafana-foundation-sdk/dashboard';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  RowBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { documentUrl, project } from '../../scripts/project/project.ts';
import { dayEvents, type Event } from './annotations.ts';
import { place, type Row } from './layout.ts';
import { linkedIdsOf } from './linked-panels.ts';
import { withRecording } from './recording.ts';
import { commonVariables } from './variables.ts';

export interface DashboardSpec {
  /** Stable and short: links and bookmarks contain it. */
  readonly uid: `ape-${string}`;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly Row[];
  /** The default time range, up to now: 90 days unless given. */
  readonly from?: string;
  readonly refresh?: string;
  readonly variables?: readonly cog.Builder<sdk.VariableModel>[];
  /** Events to mark in its charts: what happened to its days unless given. */
  readonly events?: readonly Event[];
}

/** A tag of all dashboards, which their links use. */
const TAG = 'agent-platform';

/** Displayed with every dashboard, because Grafana's time zone moves the dates of some viewers. */
const ABOUT_ZONES =
  'Each point is a UTC day. Dates are right in fixed time zones from UTC-11 to UTC+12. With daylight saving time, days on the other side of a change can be labelled 23:00 of the day before, and beyond UTC+12 all dates are wrong: select UTC as the time zone.';

/** A dashboard in the classic schema, for provisioning, sidecars and uploads. */
export function dashboardOf(spec: DashboardSpec): sdk.Dashboard {
  const { uid, title, description, rows, variables = [], events = dayEvents } = spec;
  const builder = new DashboardBuilder(title)
    .id(null)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .timezone('utc')
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: spec.from ?? 'now-90d', to: 'now' })
    .refresh(spec.refresh ?? '5m')
    .variables([...commonVariables(), ...variables])
    .annotations([])
    .link(
      new DashboardLinkBuilder('Agent platform')
        .type(DashboardLinkType.Dashboards)
        .tags([TAG])
        .asDropdown(true)
        .includeVars(true)
        .keepTime(true)
        .targetBlank(false),
    )
    .link(
      new DashboardLinkBuilder('Days are UTC')
        .type(DashboardLinkType.Link)
        .icon('info')
        .tooltip(ABOUT_ZONES)
        .url(`${documentUrl(project, 'docs/dashboards.md')}#time-zones`)
        .targetBlank(true),
    );
  for (const { row, panels } of place(rows, linkedIdsOf(uid))) {
    const heading = new RowBuilder(row.title).id(row.id).gridPos(row.position).collapsed(row.folded);
    for (const panel of panels) if (row.folded) heading.withPanel(panel);
    builder.withRow(heading);
    for (const panel of panels) if (!row.folded) builder.withPanel(panel);
  }
  return withRecording(withEvents(withPlainLinks(builder.build()), events));
}

function withEvents(dashboard: sdk.Dashboard, events: readonly Event[]): sdk.Dashboard {
  const list = events.map(({ query, panels: titles }): sdk.AnnotationQuery => {
    if (titles === undefined) return query;
    const panels = (dashboard.panels ?? []).filter(({ title = '' }) => titles.includes(title));
    return { ...query, filter: { exclude: false, ids: panels.map(({ id = 0 }) => id) } };
  });
  return { ...dashboard, annotations: { list } };
}

/** Without the placement that the SDK sets: some versions of Grafana then hide the links in a menu. */
function withPlainLinks({ links = [], ...dashboard }: sdk.Dashboard): sdk.Dashboard {
  return { ...dashboard, links: links.map(({ placement: _hidden, ...link }) => link) };
}

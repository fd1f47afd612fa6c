import type { OrgStatus, ServiceStatus } from '../status.ts';
import { type Html, html, moment } from './html.ts';
import { orgSection } from './org.ts';
import { styleSheet } from './style.ts';
import { configurationNotice, summary } from './summary.ts';
import { count } from './words.ts';

const REFRESH_SECONDS = 30;
/** With more organizations than this, those without trouble are folded up. */
const UNFOLDED_ORGS = 5;

/** The status page: one self-contained HTML document without scripts or outside assets. */
export function renderPage(status: ServiceStatus): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Agent Platform Exporter</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="${REFRESH_SECONDS}">
<link rel="icon" href="data:,">
<style>${{ markup: styleSheet }}</style>
</head>
<body>
${status.simulated ? simulatedBanner : undefined}
<header>
<h1>Agent Platform Exporter</h1>
<p>Reads the usage figures of an AI coding-agent platform and serves them to Prometheus.</p>
</header>
<main>
${configurationNotice(status)}
${summary(status)}
${linkList(status)}
${status.orgs.map((org) => orgSection(org, status.now, isUnfolded(org, status.orgs.length)))}
</main>
<footer>
<p>Version ${status.version}${status.revision === '' ? '' : ` (${status.revision})`}, started
${moment(status.startedAt, status.now)}. ${count(status.orgs.length, 'organization')}. All times are UTC. This page
renews itself every ${REFRESH_SECONDS} seconds.</p>
</footer>
</body>
</html>
`.markup;
}

const simulatedBanner = html`<p class="banner" role="note"><strong>Simulated data.</strong> Every figure here was made
up by the demo; no real platform is asked.</p>`;

function linkList(status: ServiceStatus): Html | undefined {
  if (status.links.length === 0) return undefined;
  const items = status.links.map(
    (link) => html`<li><a href="${link.href}">${link.label}</a> <span>${link.description}</span></li>`,
  );
  return html`<nav aria-label="Endpoints"><ul>${items}</ul></nav>`;
}

function isUnfolded(org: OrgStatus, orgs: number): boolean {
  return orgs <= UNFOLDED_ORGS || org.collectors.some((collector) => collector.failure !== undefined);
}

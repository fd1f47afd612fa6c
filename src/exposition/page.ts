import { byName } from '../catalog/object.ts';
import type { Logger } from '../log/logger.ts';
import type { Clock } from '../work/clock.ts';
import { createSerialQueue } from '../work/serial-queue.ts';
import { type Deflated, deflateOpen } from './deflate.ts';
import type { FamilyText } from './text.ts';
import { renderFamilyHeader } from './text.ts';

/** The parts of the page to include; everything by default. */
interface Selection {
  /** Names of collectors. */
  readonly collect?: readonly string[] | undefined;
  readonly org?: string | undefined;
}

/** A family in page order. */
interface PublishedFamily {
  readonly name: string;
  readonly help: string;
  /** The collector that publishes the family. Without one, the family is shared: each publisher adds its own samples. */
  readonly collector?: string | undefined;
}

interface PageParts {
  /** The families in the order of the page. All are gauges, so that both formats have the same bytes. */
  readonly families: readonly PublishedFamily[];
  readonly clock: Clock;
  readonly log?: Logger | undefined;
}

interface Declaration {
  readonly family: string;
  readonly collector: string | undefined;
  readonly header: Buffer;
}

/** A piece of a family's text: a part of a buffer. */
interface Kept {
  readonly declaration: Declaration;
  readonly collector: string;
  /** The family's number of series in its first piece; 0 in all others. */
  readonly series: number;
  readonly buffer: Buffer;
  readonly from: number;
  readonly to: number;
}

interface KeptOrg {
  /** Sorted by collector. */
  readonly texts: readonly Kept[];
  /** By collector. */
  readonly series: ReadonlyMap<string, number>;
}

const INTERVAL_MS = 1000;
/** The pause after a publication, as a multiple of its duration: publishing must not occupy a whole core. */
const REST = 2;
const MAX_REST_MS = 5000;
/** Texts of an organization with up to this many bytes share a buffer: a buffer of its own costs half a kilobyte more. */
const SHARED = 1024 * 1024;

/** Keeps the texts of every organization, and publishes them as one deflated page, at most once per second. */
export class Page {
  readonly #clock: Clock;
  readonly #log: Logger | undefined;
  readonly #declared: ReadonlyMap<string, Declaration>;
  readonly #selectable: ReadonlySet<string>;
  readonly #orgs = new Map<string, KeptOrg>();
  readonly #queue = createSerialQueue();
  readonly #closing = new AbortController();
  #collectors: ReadonlySet<string>;
  #published: Deflated = { bytes: Buffer.alloc(0), crc: 0, length: 0 };
  /** Whether texts have changed since the last publication. */
  #isChanged = false;
  /** Whether changes are published automatically, after a pause if the last publication was just now. */
  #isPublishing = false;
  #tookMs = 0;

  /** Creates a page that is empty at first. */
  constructor({ families, clock, log }: PageParts) {
    this.#clock = clock;
    this.#log = log;
    this.#declared = declareFamilies(families);
    this.#selectable = new Set(families.flatMap(({ collector }) => collector ?? []));
    this.#collectors = this.#selectable;
  }

  /** The names that `?collect[]=` accepts; initially those of all families. */
  get collectors(): ReadonlySet<string> {
    return this.#collectors;
  }

  /** Sets the names of the enabled collectors. */
  setCollectors(names: ReadonlySet<string>): void {
    this.#collectors = names;
  }

  /** The page as it was last published. */
  current(): Deflated {
    return this.#published;
  }

  /** Deflates the texts of a selection. */
  select(selection: Selection): Promise<Deflated> {
    return deflateOpen(this.#textsOf(selection));
  }

  /** Publishes changes now; resolves with a page that contains every earlier change. */
  flush(): Promise<Deflated> {
    return this.#queue.run(() => this.#publish());
  }

  /**
   * Replaces all texts of an organization by these, by collector. Omits texts over the series limit. Throws on a family that
   * is undeclared, belongs to another collector, or occurs twice.
   */
  replace(org: string, texts: ReadonlyMap<string, readonly FamilyText[]>): void {
    this.#expectOpen();
    this.#orgs.set(org, keep(this.#declared, texts));
    this.#touch();
  }

  /** Removes an organization's series from the page. */
  remove(org: string): void {
    this.#expectOpen();
    if (this.#orgs.delete(org)) this.#touch();
  }

  /** The number of series by collector; 0 for a collector without any. */
  series(): ReadonlyMap<string, number> {
    const series = new Map<string, number>();
    for (const org of this.#orgs.values()) {
      for (const [collector, more] of org.series) count(series, collector, more);
    }
    return series;
  }

  /** The number of an organization's series by family, also if they are not published yet. */
  seriesOf(org: string): ReadonlyMap<string, number> {
    const series = new Map<string, number>();
    for (const text of this.#orgs.get(org)?.texts ?? []) count(series, text.declaration.family, text.series);
    return series;
  }

  /** Publishes changes and stops the timer; nothing may be published afterwards. */
  async close(): Promise<void> {
    await this.flush();
    this.#closing.abort(new Error('the publication is closed'));
  }

  async #publish(): Promise<Deflated> {
    if (!this.#isChanged) return this.#published;
    this.#isChanged = false;
    const startedAt = this.#clock.elapsed();
    try {
      this.#published = await deflateOpen(this.#textsOf({}));
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
    this.#tookMs = this.#clock.elapsed() - startedAt;
    this.#log?.debug('Published', {
      bytes: this.#published.length,
      deflated: this.#published.bytes.length,
      milliseconds: Math.round(this.#tookMs),
    });
    return this.#published;
  }

  /** The selected texts in page order: by family as declared, each after its header, then by organization. */
  #textsOf({ collect = [], org: only }: Selection): Iterable<Buffer> {
    const selected = new Set(collect);
    // Families that cannot be selected by name, such as those about the data, are part of every selection.
    const isSelected = ({ collector }: Kept) =>
      selected.size === 0 || selected.has(collector) || !this.#selectable.has(collector);
    const orgs = [...this.#orgs].filter(([org]) => only === undefined || org === only).sort(byName);
    const texts = orgs.flatMap(([, org]) => org.texts.filter(isSelected));
    return inOrder(
      this.#declared.values(),
      Map.groupBy(texts, ({ declaration }) => declaration),
    );
  }

  #expectOpen(): void {
    if (this.#closing.signal.aborted) throw new Error('the publication is closed');
  }

  #touch(): void {
    this.#isChanged = true;
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    // Only `close` ends the wait early, and then nothing is left to do.
    this.#publishFromNowOn().catch(() => undefined);
  }

  async #publishFromNowOn(): Promise<void> {
    while (this.#isChanged) {
      await this.flush().catch((error: unknown) => {
        // The previous page is kept; the next round tries again.
        this.#log?.error('The page could not be assembled', { error });
      });
      const rest = Math.min(REST * this.#tookMs, MAX_REST_MS);
      await this.#clock.wait(Math.max(INTERVAL_MS, rest), this.#closing.signal);
    }
    this.#isPublishing = false;
  }
}

/** Renders the families' headers; throws on a duplicate name and on a double quote in a help text. */
function declareFamilies(families: readonly PublishedFamily[]): ReadonlyMap<string, Declaration> {
  const declared = new Map<string, Declaration>();
  for (const { name, help, collector } of families) {
    if (declared.has(name)) throw new Error(`the family ${name} is declared twice`);
    // The same bytes serve both formats, and only OpenMetrics would escape a quote.
    if (help.includes('"')) throw new Error(`the help of ${name} contains a double quote`);
    declared.set(name, {
      family: name,
      collector,
      header: Buffer.from(renderFamilyHeader({ name, help, type: 'gauge' })),
    });
  }
  return declared;
}

function keep(
  declared: ReadonlyMap<string, Declaration>,
  byCollector: ReadonlyMap<string, readonly FamilyText[]>,
): KeptOrg {
  const kept: Kept[] = [];
  const series = new Map<string, number>();
  for (const [collector, texts] of [...byCollector].sort(byName)) {
    count(series, collector, 0);
    const names = new Set<string>();
    for (const text of texts) {
      const { family } = text;
      const declaration = declarationOf(declared, family, collector);
      if (names.has(family)) throw new Error(`the collector ${collector} has the family ${family} twice`);
      names.add(family);
      if (text.overflow) continue;
      for (const [index, buffer] of text.bytes.entries()) {
        const pieceSeries = index === 0 ? text.series : 0;
        kept.push({ declaration, collector, series: pieceSeries, buffer, from: 0, to: buffer.length });
      }
      count(series, collector, text.series);
    }
  }
  return { texts: shareBuffer(kept), series };
}

/** The declaration of a collector's family; throws if there is none, or it is another collector's. */
function declarationOf(
  declared: ReadonlyMap<string, Declaration>,
  family: string,
  collector: string,
): Declaration {
  const declaration = declared.get(family);
  if (declaration === undefined) throw new Error(`the family ${family} is not declared`);
  const owner = declaration.collector ?? collector;
  if (owner !== collector) throw new Error(`the family ${family} belongs to ${owner}, not to ${collector}`);
  return declaration;
}

/** Copies short pieces into one buffer. */
function shareBuffer(pieces: readonly Kept[]): readonly Kept[] {
  const length = pieces.reduce((sum, { to }) => sum + to, 0);
  if (length > SHARED) return pieces;
  const buffer = Buffer.concat(pieces.map((piece) => piece.buffer));
  let end = 0;
  return pieces.map((piece) => {
    const from = end;
    end += piece.to;
    return { ...piece, buffer, from, to: end };
  });
}

function* inOrder(
  declarations: Iterable<Declaration>,
  byFamily: ReadonlyMap<Declaration, readonly Kept[]>,
): Generator<Buffer> {
  for (const declaration of declarations) {
    const texts = byFamily.get(declaration);
    if (texts === undefined) continue;
    yield declaration.header;
    for (const { buffer, from, to } of texts) yield buffer.subarray(from, to);
  }
}

function count(series: Map<string, number>, name: string, more: number): void {
  series.set(name, (series.get(name) ?? 0) + more);
}

import { PanelBuilder, TextMode } from '@grafana/grafana-foundation-sdk/text';
import type { Placed } from './panel.ts';

/** A text that explains the prerequisites of the panels around it. */
export function note(
  title: string,
  description: string,
  content: string,
  { width = 24, height = 4 }: { readonly width?: number; readonly height?: number } = {},
): Placed {
  const panel = new PanelBuilder()
    .title(title)
    .description(description)
    .mode(TextMode.Markdown)
    .content(content);
  return { width, height, panel };
}

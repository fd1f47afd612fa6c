import type { Secret } from '../settings/settings.ts';
import type { ChannelParts } from './notice.ts';

interface Delivery {
  readonly url: Secret | string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly caFile?: string | undefined;
}

/** Posts to a webhook; rejects unless the answer is 2xx. No message repeats the address: it may be a secret. */
export async function postTo(
  { url, body, headers = {}, caFile }: Delivery,
  { post, secret, timeoutMs }: ChannelParts,
): Promise<void> {
  const address = typeof url === 'string' ? url : secret(url);
  if (!/^https?:\/\/[^/]/.test(address) || !URL.canParse(address)) {
    throw new Error('its address is no http or https address');
  }
  const { status } = await post({ url: address, body, headers, caFile, timeoutMs });
  if (status < 200 || status > 299) throw new Error(`answered ${status}`);
}

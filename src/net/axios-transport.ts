import type { RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import axios from 'axios';
import { answerOf, connectionOptions, type SentRequest, type Transport } from './http-client.ts';
import { nodeHttp } from './node-http.ts';

// Redirects are followed by whoever may: a library would decide on its own where a key is sent.
const client = axios.create({
  adapter: 'http',
  responseType: 'stream',
  maxRedirects: 0,
  transformRequest: [],
  transformResponse: [],
  validateStatus: () => true,
  // Only what callers say.
  headers: { Accept: false },
});

/** Sends a request by axios, which decompresses its answer. No AxiosError, which holds the headers, leaves `HttpClient`. */
export async function sendByAxios(sent: SentRequest): ReturnType<Transport> {
  const { method = 'GET', url, headers = {}, body, signal, agent, proxy, isRaw = false } = sent;
  const isSecure = url.protocol === 'https:';
  const {
    status,
    headers: answered,
    data,
  } = await client.request<Readable>({
    method,
    url: url.href,
    headers: { ...headers },
    data: body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body,
    signal,
    decompress: !isRaw,
    httpAgent: agent,
    httpsAgent: agent,
    // Without this, axios itself would read the proxy from the environment. It refuses it beside an agent that forwards.
    ...(proxy !== undefined && !isSecure ? {} : { proxy: false as const }),
    // With the options that axios does not pass on.
    transport: {
      request: (options: RequestOptions, onAnswer: () => void) =>
        nodeHttp(isSecure).request({ ...options, ...connectionOptions(sent) }, onAnswer),
    },
  });
  return answerOf(status, answered, data, () => void data.destroy());
}

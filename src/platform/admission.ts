import type { ApiAnswer, ApiRequest } from '../catalog/source.ts';

/** Asks for an answer; failures throw a `PlatformError`. */
export type Ask = (request: ApiRequest) => Promise<ApiAnswer>;

/** Decides which whole answers may be read at all. */
export interface Admission {
  /** Called before a request is made; what it gives is called once the answer has come, or will not come. */
  asking(request: ApiRequest): () => void;
  /**
   * Resolves where the answer may be read, and rejects with a `PlatformError` where nothing of it may. It may take
   * time, and make requests of its own by `ask`.
   */
  admit(request: ApiRequest, answer: ApiAnswer, ask: Ask): Promise<void>;
}

/** Lets through only what is admitted, page by page where a listing has several. */
export function withAdmission(ask: Ask, admission: Admission | undefined): Ask {
  if (admission === undefined) return ask;

  async function askNoted(request: ApiRequest): Promise<ApiAnswer> {
    const answered = admission?.asking(request);
    try {
      return await ask(request);
    } finally {
      answered?.();
    }
  }

  return async (request) => {
    const answer = await askNoted(request);
    await admission.admit(request, answer, askNoted);
    return answer;
  };
}

import type { Check, Provider } from "./driver.ts";

/** Infrastructure without a driver: whatever answers in HTTP at its URL is there. Nothing is sent but the question. */
export const endpoint: Provider = {
  async probe({ apiUrl, authUrl }, signal) {
    const url = apiUrl ?? authUrl;
    return [{ name: "endpoint", ...(url ? await reach(url, signal) : nowhere) }];
  },
};

const nowhere = {
  ok: false,
  detail: "There is no driver for this type and no URL to try; its requests are driven through the API.",
};

async function reach(url: string, signal: AbortSignal): Promise<Omit<Check, "name">> {
  try {
    const response = await fetch(url, { redirect: "manual", signal });
    await response.body?.cancel();
    return { ok: true, detail: `It answered with status ${response.status}.` };
  } catch (error) {
    return { ok: false, detail: sentenceFor((error as { code?: string }).code ?? "") };
  }
}

const sentences: [code: RegExp, sentence: string][] = [
  [/^ECONNREFUSED$/, "The connection was refused."],
  [/^(ENOTFOUND|EAI_)/, "The host name is not known."],
  [/^ECONNRESET$/, "The connection was closed without an answer."],
  [/^Malformed_HTTP/, "It does not speak HTTP."],
  [/CERT|SIGNATURE/, "Its certificate is not trusted."],
  [/^EPROTO$/, "It does not speak TLS."],
];

const sentenceFor = (code: string) =>
  sentences.find(([known]) => known.test(code))?.[1] ?? "It could not be reached.";

import type { Provider } from "./driver.ts";

/** Infrastructure that people work on: they complete its requests with `manual-complete`, so nothing is called. */
export const manual: Provider = {
  probe: async () => [{ name: "people", ok: true, detail: "People carry out the requests on this cluster." }],
};

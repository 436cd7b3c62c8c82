import Ajv, { type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

/** Holds values against the schemas of a document (OpenAPI 3.0, AsyncAPI), by the schema's place in it. */
export function fittingOf(document: object) {
  const ajv = addFormats(new Ajv({ strict: false, validateSchema: false }));
  ajv.addSchema({ ...document, $id: "document" });
  const known = new Map<string, ValidateFunction>();
  /** What does not fit, or null. */
  return (value: unknown, ...place: (string | number)[]): string | null => {
    const keys = place.map((key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1"));
    const pointer = `document#/${keys.map(encodeURIComponent).join("/")}`;
    const fits = known.get(pointer) ?? ajv.compile({ $ref: pointer });
    known.set(pointer, fits);
    return fits(value) ? null : ajv.errorsText(fits.errors);
  };
}

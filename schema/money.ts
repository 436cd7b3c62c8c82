import { customType } from "drizzle-orm/mysql-core";
import * as v from "valibot";

/*
 * Decimal numbers that stay what they are: text with all its decimals inside ("0.000123"), a JSON number outside.
 * Of at most 15 digits, the JSON number names the same decimal (IEEE 754 double).
 */

/** The largest price: nine digits and its decimals. */
export const maxPrice = 999_999_999.99;
/** The same of a price of six decimals. */
export const maxFinePrice = 999_999_999.999999;

/** An exact decimal of nine digits and so many decimals, up to six; in a query it is a number as it stands, never a text. */
export const decimalColumn = customType<{
  data: string;
  driverData: string | number;
  config: { decimals: number };
}>({
  dataType: (config) => `decimal(${9 + (config?.decimals ?? 2)},${config?.decimals ?? 2})`,
  toDriver: Number,
  fromDriver: String,
});

/** How many decimals a number is written with. */
function decimalsOf(value: number): number {
  const [digits = "", exponent = "0"] = String(value).split("e");
  return Math.max(0, (digits.split(".")[1]?.length ?? 0) - Number(exponent));
}

/** A number from 0 to `maximum` with so many decimals at most; never rounded. It is read as text with all decimals. */
export const decimal = (decimals: number, maximum: number, example: number) =>
  v.pipe(
    v.number("Must be a number."),
    v.minValue(0, "Must be 0 or more."),
    v.maxValue(maximum, `Must be ${maximum} or less.`),
    v.check((value) => decimalsOf(value) <= decimals, `Must have at most ${decimals} decimals.`),
    v.examples([example]),
    v.transform((value) => value.toFixed(decimals)),
  );

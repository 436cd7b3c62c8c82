import { customType, datetime, int } from "drizzle-orm/mysql-core";

/*
 * The few column types of the database. Columns are named as the fields are. Every text type names its
 * collation, so that ids, addresses and hashes never compare by the rules of a human language.
 */

/** A UUIDv7 that Landfall made (RFC 9562), compared byte by byte. */
export const id = customType<{ data: string }>({
  dataType: () => "char(36) character set ascii collate ascii_bin",
});

/** Text of up to `length` characters, compared byte by byte, trailing spaces included: ids given by others, e-mail addresses. */
export const exactText = customType<{
  data: string;
  driverData: Buffer | string;
  config: { length: number };
}>({
  dataType: (config) => `varbinary(${(config?.length ?? 64) * 4})`,
  toDriver: (value) => value,
  fromDriver: (value) => value.toString(),
});

const wordType = customType<{ data: string }>({
  dataType: () => "varchar(40) character set ascii collate ascii_bin",
});

/** A SHA-256 in hexadecimal. */
export const hash = customType<{ data: string }>({
  dataType: () => "char(64) character set ascii collate ascii_bin",
});

/** One of a fixed list of words. */
export const word = <T extends string>() => wordType().$type<T>();

/** Human text of up to `length` characters, sorted as people expect. */
export const label = customType<{ data: string; config: { length: number } }>({
  dataType: (config) => `varchar(${config?.length ?? 200}) character set utf8mb4 collate utf8mb4_unicode_ci`,
});

/** Long text. */
export const longText = customType<{ data: string }>({
  dataType: () => "mediumtext character set utf8mb4 collate utf8mb4_bin",
});

const documentType = customType<{ data: unknown; driverData: string }>({
  dataType: () => "longtext character set utf8mb4 collate utf8mb4_bin",
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (text) => JSON.parse(text),
});

/** JSON that a client has made, kept as its text: MariaDB takes no JSON that is nested more than 32 deep. */
export const document = <T>() => documentType().$type<T>();

/** A moment in UTC with milliseconds. */
export const instant = () => datetime({ mode: "date", fsp: 3 });

/** What every stored record has. `version` counts the accepted commands from 1. */
export const recordColumns = {
  id: id().primaryKey(),
  version: int({ unsigned: true }).notNull(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
};

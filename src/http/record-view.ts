interface Stored {
  id: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A stored record as it is answered: the id first, its version and times last, as ISO 8601. */
export const recordView = <R extends Stored>({ id, version, createdAt, updatedAt, ...shown }: R) => ({
  id,
  ...shown,
  version,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

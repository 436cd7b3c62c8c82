/** A fault of the infrastructure, as the tenant may read it. `code` is a constant such as `NO_CAPACITY`; `cause` is for the log. */
export class DriverError extends Error {
  override readonly name = "DriverError";
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

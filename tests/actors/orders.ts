import type { Unit } from "../../actors/runtime/mailbox.ts";
import { account, origin } from "./account.ts";

/* Commands to accounts, to be sent together. */

export const orders = (...list: object[]) =>
  list.map((order) => ({ origin, ...order })) as unknown as Unit["orders"];
export const deposit = (id: string, amount: number) => ({ command: account.deposit, id, input: { amount } });
export const withdraw = (id: string, amount: number) => ({
  command: account.withdraw,
  id,
  input: { amount },
});

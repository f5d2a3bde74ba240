import { Connection } from "./Connection.js";
import { Refusals } from "./Refusals.js";

/** Notices about the connection and refused changes. They do not block the page. */
export function Notices() {
  return (
    <>
      <Connection />
      <Refusals />
    </>
  );
}

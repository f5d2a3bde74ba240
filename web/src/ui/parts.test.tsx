import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { preparePage } from "../../test/preparePage.js";
import { AnnounceProvider, useAnnounce } from "./announce.js";
import { Avatar } from "./Avatar.js";
import { Banner } from "./Banner.js";
import { Button } from "./Button.js";
import { Name } from "./Name.js";
import { TextField } from "./TextField.js";

preparePage();

test("an avatar says who it is and whether they are at work", () => {
  render(<Avatar name="Ada Lovelace" color="#123456" kind="person" busy />);
  expect(screen.getByRole("img", { name: "Ada Lovelace, busy" }).textContent).toBe("AL");
});

test("an avatar of something without a name has one all the same", () => {
  render(<Avatar name={"\u200b"} color="#123456" kind="runtime" />);
  expect(screen.getByRole("img", { name: "Somebody" })).toBeTruthy();
});

test("a banner with an error interrupts, and others wait", () => {
  render(
    <>
      <Banner kind="error">Broken</Banner>
      <Banner kind="warn">Careful</Banner>
    </>,
  );
  expect(screen.getByRole("alert").textContent).toBe("Broken");
  expect(screen.getByRole("status").textContent).toBe("Careful");
});

test("a field has its label and what is wrong with it", () => {
  render(<TextField label="Title" labelHidden error="It is too long" />);
  const field = screen.getByRole("textbox", { name: "Title" });
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent).toBe("It is too long");
});

test("a name is text whatever is in it, and keeps to itself", () => {
  const { container } = render(<Name text={"<img src=x onerror=alert(1)>\u202e"} />);
  expect(container.querySelector("img")).toBeNull();
  expect(container.querySelector("bdi")?.textContent).toBe("<img src=x onerror=alert(1)>");
});

test("the same words are announced again", async () => {
  function Sayer() {
    const announce = useAnnounce();
    return <Button onClick={() => announce("Moved down")}>Say</Button>;
  }
  render(
    <AnnounceProvider>
      <Sayer />
    </AnnounceProvider>,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole("button"));
  const first = screen.getByText("Moved down");
  await user.click(screen.getByRole("button"));
  expect(screen.getByText("Moved down")).not.toBe(first);
  expect(screen.getByRole("status").textContent).toBe("Moved down");
});

#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::restriction,
    reason = "generated code"
)]

wit_bindgen::generate!({
    path: "../../../wit",
    inline: "
        package myao:composition;

        world app {
            import myao:memory/memory-summarizer@0.2.0;
        }
    ",
    world: "myao:composition/app",
    generate_all,
});

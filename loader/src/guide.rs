//! Pages of the repository's folder `docs/`: from your data to a training loop, and one page for each question.
// The pages are links into that folder; a package has copies. Their programs are run by `cargo xtask guide`, which is
// why this module is not there in tests of the documentation.
#![doc = include_str!("guide/guide.md")]
#![doc = include_str!("guide/links.html")]

macro_rules! pages {
    ($($name:ident),*) => {$(
        #[doc = include_str!(concat!("guide/", stringify!($name), ".md"))]
        #[doc = include_str!("guide/links.html")]
        pub mod $name {}
    )*};
}

pages!(batching, graphs, guarantees, packing, ranks, stores);

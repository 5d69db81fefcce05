//! Shop: search, product, cart and a checkout that really orders (in the phone's own state).
mod goods;

use serde::Serialize;

use super::fields::Fields;
use super::widgets::{
    CARD, FieldView, OUTLINE, PRIMARY, QUIET, SEARCH, SURFACE, TINT, bar, card, chip, divider,
    euros, filled_button, home_bar, icon_button, label, nothing, page, row, search_pill,
    tonal_button,
};
use super::{App, Cx, View, widgets};
use crate::draw::icons;
use crate::tree::element::{Art, Color, El, INK, Len, Place};
use goods::{BACKDROP, GOODS, Product};

pub(crate) const PACKAGE: &str = "com.example.shop";
pub(crate) const ACTIVITY: &str = "com.example.shop.MainActivity";
const PRODUCT: &str = "com.example.shop.ProductActivity";
const CART: &str = "com.example.shop.CartActivity";
const CHECKOUT: &str = "com.example.shop.CheckoutActivity";
const DONE: &str = "com.example.shop.OrderPlacedActivity";

/// Lines in a cart, pieces of one thing, orders that are kept.
const MAX: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CartLine {
    pub name: String,
    pub size: String,
    pub quantity: u32,
    /// For one, in cents.
    pub price_cents: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Order {
    pub lines: Vec<CartLine>,
    pub total_cents: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Featured,
    Cheapest,
    Dearest,
    Rating,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    Search,
    Ask(&'static str),
    Sort(Sort),
    Under,
    Open(usize),
    Size(&'static str),
    Add,
    Cart,
    More(usize),
    Less(usize),
    Checkout,
    PlaceOrder,
    Continue,
}

impl From<Act> for super::Act {
    fn from(act: Act) -> Self {
        Self::Shop(act)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Screen {
    Home,
    Results,
    Product(usize),
    Cart,
    Checkout,
    Done,
}

#[derive(Debug)]
pub(crate) struct Shop {
    stack: Vec<Screen>,
    fields: Fields,
    sort: Sort,
    under: bool,
    size: Option<&'static str>,
    missing_size: bool,
    pub(crate) cart: Vec<CartLine>,
    pub(crate) orders: Vec<Order>,
}

impl Default for Shop {
    fn default() -> Self {
        Self {
            stack: vec![Screen::Home],
            fields: Fields::default(),
            sort: Sort::Featured,
            under: false,
            size: None,
            missing_size: false,
            cart: Vec::new(),
            orders: Vec::new(),
        }
    }
}

impl Shop {
    fn screen(&self) -> Screen {
        self.stack.last().copied().unwrap_or(Screen::Home)
    }

    fn go(&mut self, screen: Screen, cx: &mut Cx<'_>) {
        self.stack.push(screen);
        cx.unfocus();
        cx.forward();
    }

    fn total(&self) -> u32 {
        self.cart.iter().map(|line| line.price_cents.saturating_mul(line.quantity)).sum()
    }

    pub(crate) fn act(&mut self, act: Act, cx: &mut Cx<'_>) {
        match act {
            Act::Ask(what) => {
                self.fields.set("search", what);
                self.act(Act::Search, cx);
            }
            Act::Search => {
                if self.fields.text("search").trim().is_empty() {
                    return;
                }
                self.sort = Sort::Featured;
                self.under = false;
                if self.screen() == Screen::Results {
                    cx.unfocus();
                } else {
                    self.go(Screen::Results, cx);
                }
            }
            Act::Sort(sort) => {
                self.sort = if self.sort == sort { Sort::Featured } else { sort };
            }
            Act::Under => self.under = !self.under,
            Act::Open(i) => {
                self.size = None;
                self.missing_size = false;
                self.go(Screen::Product(i), cx);
            }
            Act::Size(size) => {
                self.size = Some(size);
                self.missing_size = false;
            }
            Act::Add => {
                let Screen::Product(i) = self.screen() else { return };
                let Some(product) = GOODS.get(i) else { return };
                if self.size.is_none() && !product.sizes.is_empty() {
                    self.missing_size = true;
                    cx.toast("Choose a size first");
                    return;
                }
                self.put(product);
                cx.toast("Added to cart");
            }
            Act::Cart => self.go(Screen::Cart, cx),
            Act::More(i) => {
                if let Some(line) = self.cart.get_mut(i) {
                    line.quantity = (line.quantity + 1).min(99);
                }
            }
            Act::Less(i) => {
                if let Some(line) = self.cart.get_mut(i) {
                    line.quantity -= 1;
                    if line.quantity == 0 {
                        self.cart.remove(i);
                    }
                }
            }
            Act::Checkout => {
                if !self.cart.is_empty() {
                    self.go(Screen::Checkout, cx);
                }
            }
            Act::PlaceOrder => {
                let total_cents = self.total();
                self.orders.push(Order { lines: std::mem::take(&mut self.cart), total_cents });
                if self.orders.len() > MAX {
                    self.orders.remove(0);
                }
                self.stack = vec![Screen::Home];
                self.go(Screen::Done, cx);
            }
            Act::Continue => {
                self.stack = vec![Screen::Home];
                self.fields.clear();
                cx.back();
            }
        }
    }

    fn put(&mut self, product: &Product) {
        let size = self.size.unwrap_or("").to_owned();
        let same = |line: &&mut CartLine| line.name == product.name && line.size == size;
        if let Some(line) = self.cart.iter_mut().find(same) {
            line.quantity = (line.quantity + 1).min(99);
        } else if self.cart.len() < MAX {
            self.cart.push(CartLine {
                name: product.name.to_owned(),
                size,
                quantity: 1,
                price_cents: product.cents,
            });
        }
    }

    fn cart_button(&self) -> El {
        let count: u32 = self.cart.iter().map(|line| line.quantity).sum();
        let button = icon_button(
            icons::SHOPPING_CART,
            &if count == 0 { "Cart".to_owned() } else { format!("Cart, {count} items") },
            "cart",
            Act::Cart,
        );
        if count == 0 {
            return button;
        }
        let badge = El::text(count.to_string(), 11.0)
            .bold()
            .color(widgets::WHITE)
            .fill(widgets::ERROR)
            .radius(9.0)
            .pad(5.5, 1.0);
        El::stack(vec![
            button,
            El::row(vec![badge]).main(Place::End).width(Len::Dp(48.0)).edges([0.0, 3.0, 2.0, 0.0]),
        ])
    }

    fn search(&self, cx: &View<'_>) -> El {
        let field = FieldView::new("search", "Search shoes, bags and more", &self.fields)
            .action(SEARCH, Act::Search);
        search_pill(cx, field)
    }

    /// Indices of what fits every word asked for, in the order asked for.
    fn found(&self) -> Vec<usize> {
        let wanted = self.fields.text("search").to_lowercase();
        let fits = |p: &Product| {
            let text = format!("{} {} {}", p.name, p.maker, p.words).to_lowercase();
            wanted
                .split_whitespace()
                .all(|w| text.contains(w.strip_suffix('s').filter(|w| w.len() > 2).unwrap_or(w)))
        };
        let mut found: Vec<usize> = GOODS
            .iter()
            .enumerate()
            .filter(|(_, p)| fits(p) && (!self.under || p.cents < 5_000))
            .map(|(i, _)| i)
            .collect();
        match self.sort {
            Sort::Featured => {}
            Sort::Cheapest => found.sort_by_key(|i| GOODS[*i].cents),
            Sort::Dearest => found.sort_by_key(|i| std::cmp::Reverse(GOODS[*i].cents)),
            Sort::Rating => found.sort_by_key(|i| std::cmp::Reverse(GOODS[*i].rating)),
        }
        found
    }

    fn home(&self, cx: &View<'_>) -> El {
        let banner = El::row(vec![
            El::column(vec![
                El::text("Spring sale", 26.0).bold().color(widgets::WHITE),
                El::text("Running shoes from \u{20ac}39", 16.0).color(widgets::WHITE),
            ])
            .wide()
            .gap(4.0),
            El::art(
                Art::Shoe(crate::tree::element::ShoeKind::Runner, Color(0xFFFF_D166)),
                110.0,
                110.0,
                INK,
            ),
        ])
        .pad(22.0, 12.0)
        .fill(Color(0xFF0F_8A5F))
        .radius(24.0)
        .id("banner")
        .click(Act::Ask("running shoes"));
        let ask = |title: &'static str| {
            El::text(title, 15.0)
                .pad(16.0, 12.0)
                .fill(TINT)
                .radius(12.0)
                .centered()
                .width(Len::Fill(1.0))
                .click(Act::Ask(title))
        };
        let kinds = El::column(vec![
            El::row(vec![ask("Running shoes"), ask("Sneakers")]).gap(10.0),
            El::row(vec![ask("Boots"), ask("Sandals")]).gap(10.0),
        ])
        .gap(10.0);
        let popular: Vec<El> = [0, 2, 5].iter().map(|i| result(*i)).collect();
        let mut list = vec![self.search(cx), banner, kinds, label("Popular now")];
        list.extend(popular);
        page(
            home_bar("Shop", vec![self.cart_button()]),
            El::column(list).gap(14.0).edges([16.0, 4.0, 16.0, 24.0]).grow().scroll("shop home"),
        )
    }

    fn results(&self, cx: &View<'_>) -> El {
        let found = self.found();
        let sort = |name, sort, id| chip(name, self.sort == sort, id, Act::Sort(sort));
        let chips = El::row(vec![
            sort("Price: low to high", Sort::Cheapest, "sort_price_asc"),
            chip("Under \u{20ac}50", self.under, "filter_under_50", Act::Under),
            sort("Price: high to low", Sort::Dearest, "sort_price_desc"),
            sort("Top rated", Sort::Rating, "sort_rating"),
        ])
        .gap(8.0)
        .wide()
        .scroll("chips")
        .class("android.widget.HorizontalScrollView");
        let count = El::text(
            match found.len() {
                1 => "1 result".to_owned(),
                n => format!("{n} results"),
            },
            14.0,
        )
        .color(QUIET)
        .id("result_count");
        let list = if found.is_empty() {
            nothing(icons::SEARCH, "Nothing found. Try another word.")
        } else {
            El::column(found.into_iter().map(result).collect()).gap(10.0)
        };
        page(
            bar("Results", vec![self.cart_button()]),
            El::column(vec![
                El::column(vec![self.search(cx), chips, count]).gap(10.0).pad(16.0, 4.0),
                El::column(vec![list])
                    .edges([16.0, 6.0, 16.0, 24.0])
                    .grow()
                    .scroll("results")
                    .id("results"),
            ])
            .grow(),
        )
    }

    fn product(&self, i: usize) -> El {
        let Some(product) = GOODS.get(i) else { return page(bar("", Vec::new()), El::spring()) };
        let picture = El::stack(vec![El::art(product.art(), 230.0, 230.0, INK)])
            .main(Place::Center)
            .cross(Place::Center)
            .height(Len::Dp(250.0))
            .wide()
            .fill(BACKDROP)
            .radius(24.0)
            .desc(product.name);
        let sizes = product.sizes.iter().map(|size| {
            chip(size, self.size == Some(size), "size", Act::Size(size)).pad(16.0, 10.0)
        });
        let mut list = vec![
            picture,
            El::text(product.maker, 14.0).color(QUIET).id("maker"),
            El::text(product.name, 24.0).id("product_name"),
            El::row(vec![
                El::text(euros(product.cents), 24.0).bold().id("price"),
                El::spring().height(Len::Dp(1.0)),
                stars(product),
            ]),
        ];
        if !product.sizes.is_empty() {
            list.push(El::text("Size", 15.0).bold());
            list.push(
                El::row(sizes.collect())
                    .gap(8.0)
                    .wide()
                    .scroll("sizes")
                    .class("android.widget.HorizontalScrollView"),
            );
        }
        if self.missing_size {
            list.push(El::text("Choose a size", 14.0).color(widgets::ERROR).id("error"));
        }
        list.push(El::text(product.words, 15.5).color(QUIET).id("description"));
        list.push(
            El::text("Free delivery in 2\u{2013}4 days. 30 days to return.", 15.0).color(QUIET),
        );
        let buy = El::column(vec![filled_button("Add to cart", "add_to_cart", Act::Add)])
            .pad(16.0, 10.0)
            .fill(CARD);
        page(
            bar("", vec![self.cart_button()]),
            El::column(vec![
                El::column(list).gap(10.0).pad(18.0, 4.0).grow().scroll("product"),
                buy,
            ])
            .grow(),
        )
    }

    fn cart_screen(&self) -> El {
        if self.cart.is_empty() {
            return page(
                bar("Cart", Vec::new()),
                El::column(vec![nothing(icons::SHOPPING_CART, "Your cart is empty")]).grow(),
            );
        }
        let lines = self.cart.iter().enumerate().map(|(i, line)| {
            El::column(vec![
                El::row(vec![
                    El::column(vec![
                        El::text(&line.name, 16.5).bold().id("line_name"),
                        El::text(size_text(line), 14.0).color(QUIET).id("line_size"),
                    ])
                    .wide(),
                    El::text(euros(line.price_cents * line.quantity), 16.5).id("line_price"),
                ]),
                El::row(vec![
                    icon_button(icons::REMOVE, "One less", "less", Act::Less(i)),
                    El::text(line.quantity.to_string(), 17.0).id("quantity"),
                    icon_button(icons::ADD, "One more", "more", Act::More(i)),
                ])
                .gap(6.0),
            ])
            .pad(18.0, 10.0)
        });
        page(
            bar("Cart", Vec::new()),
            El::column(vec![
                El::column(vec![card(lines.collect())]).pad(16.0, 6.0).grow().scroll("cart"),
                El::column(vec![
                    total_row(self.total()),
                    filled_button("Go to checkout", "checkout", Act::Checkout),
                ])
                .gap(10.0)
                .pad(18.0, 12.0)
                .fill(CARD),
            ])
            .grow(),
        )
    }

    fn checkout(&self) -> El {
        let mut lines: Vec<El> = self
            .cart
            .iter()
            .map(|line| {
                let name = format!("{} \u{d7} {}", line.quantity, line.name);
                El::row(vec![
                    El::text(name, 15.5).wide().id("line_name"),
                    El::text(euros(line.price_cents * line.quantity), 15.5),
                ])
            })
            .collect();
        lines.push(El::row(vec![El::text("Delivery", 15.5).wide(), El::text("Free", 15.5)]));
        lines.push(divider());
        lines.push(total_row(self.total()));
        let list = vec![
            card(vec![
                row(Some((icons::LOCATION, PRIMARY)), "Deliver to", "Birch Lane 12, 1011 Example"),
                row(Some((icons::CREDIT_CARD, PRIMARY)), "Pay with", "Card ending in 4242"),
                row(Some((icons::SHIPPING, PRIMARY)), "Delivery", "Thu\u{2013}Sat, standard"),
            ]),
            card(vec![El::column(lines).gap(10.0).pad(20.0, 16.0)]),
            El::text("By placing the order you agree to pay the total above.", 13.5).color(QUIET),
        ];
        page(
            bar("Checkout", Vec::new()),
            El::column(vec![
                El::column(list).gap(14.0).pad(16.0, 6.0).grow().scroll("checkout"),
                El::column(vec![filled_button("Place order", "place_order", Act::PlaceOrder)])
                    .pad(18.0, 12.0)
                    .fill(CARD),
            ])
            .grow(),
        )
    }

    fn done(&self) -> El {
        let total = self.orders.last().map_or(0, |order| order.total_cents);
        let body = El::column(vec![
            El::icon(icons::CHECK, 72.0, Color(0xFF0F_8A5F)),
            El::text("Order placed", 28.0).id("headline"),
            El::text(format!("You paid {}.", euros(total)), 16.0).color(QUIET).id("paid"),
            El::space(12.0),
            tonal_button("Continue shopping", "continue", Act::Continue),
        ])
        .cross(Place::Center)
        .main(Place::Center)
        .gap(12.0)
        .grow()
        .fill(SURFACE);
        page(El::space(8.0), body)
    }
}

fn total_row(cents: u32) -> El {
    El::row(vec![
        El::text("Total", 18.0).bold().wide(),
        El::text(euros(cents), 18.0).bold().id("total"),
    ])
}

fn size_text(line: &CartLine) -> String {
    if line.size.is_empty() { String::new() } else { format!("Size {}", line.size) }
}

fn stars(product: &Product) -> El {
    El::row(vec![
        El::icon(icons::STAR, 18.0, Color(0xFFE8_A100)),
        El::text(
            format!("{}.{} ({})", product.rating / 10, product.rating % 10, product.reviews),
            14.0,
        )
        .color(QUIET)
        .id("rating"),
    ])
    .gap(4.0)
}

/// A product in a list.
fn result(i: usize) -> El {
    let product = &GOODS[i];
    let picture = El::stack(vec![El::art(product.art(), 92.0, 92.0, INK)])
        .main(Place::Center)
        .cross(Place::Center)
        .width(Len::Dp(108.0))
        .height(Len::Dp(108.0))
        .fill(BACKDROP)
        .radius(14.0);
    El::row(vec![
        picture,
        El::column(vec![
            El::text(product.name, 16.5).lines(2).id("product_name"),
            El::text(product.maker, 14.0).color(QUIET).id("maker"),
            El::text(euros(product.cents), 18.0).bold().id("price"),
            stars(product),
        ])
        .wide()
        .gap(2.0),
    ])
    .gap(14.0)
    .pad(8.0, 8.0)
    .fill(CARD)
    .border(1.0, OUTLINE.with_alpha(0x80))
    .radius(18.0)
    .desc(product.name)
    .id("product")
    .click(Act::Open(i))
}

impl App for Shop {
    fn activity(&self) -> &'static str {
        match self.screen() {
            Screen::Home | Screen::Results => ACTIVITY,
            Screen::Product(_) => PRODUCT,
            Screen::Cart => CART,
            Screen::Checkout => CHECKOUT,
            Screen::Done => DONE,
        }
    }

    fn view(&self, cx: &View<'_>) -> El {
        match self.screen() {
            Screen::Home => self.home(cx),
            Screen::Results => self.results(cx),
            Screen::Product(i) => self.product(i),
            Screen::Cart => self.cart_screen(),
            Screen::Checkout => self.checkout(),
            Screen::Done => self.done(),
        }
    }

    fn back(&mut self, _cx: &mut Cx<'_>) -> bool {
        if self.stack.len() > 1 {
            self.stack.pop();
            true
        } else {
            false
        }
    }

    fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    fn reset(&mut self) {
        self.stack = vec![Screen::Home];
        self.fields.clear();
        self.size = None;
    }

    fn open(&mut self, class: &str) -> bool {
        if class == CART && self.screen() != Screen::Cart {
            self.stack.push(Screen::Cart);
        }
        class == ACTIVITY || class == CART
    }
}

//! Shop: search, products, a cart, and a checkout whose orders end in the phone's state.
mod products;
mod screens;

use serde::Serialize;

use super::back_stack::BackStack;
use super::fields::Fields;
use super::{App, AppContext, Element, ViewContext};
use products::{PRODUCTS, Product};

pub(crate) const PACKAGE: &str = "com.example.shop";
pub(crate) const ACTIVITY: &str = "com.example.shop.MainActivity";
const PRODUCT: &str = "com.example.shop.ProductActivity";
const CART: &str = "com.example.shop.CartActivity";
const CHECKOUT: &str = "com.example.shop.CheckoutActivity";
const DONE: &str = "com.example.shop.OrderPlacedActivity";

/// Most lines of a cart, and most orders.
const MAX: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CartLine {
    pub name: String,
    pub size: String,
    pub quantity: u32,
    /// Of a single item.
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
    PriceAscending,
    PriceDescending,
    Rating,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    Search,
    SearchFor(&'static str),
    Sort(Sort),
    Under50,
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

impl From<Event> for super::Event {
    fn from(event: Event) -> Self {
        Self::Shop(event)
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
    stack: BackStack<Screen>,
    fields: Fields,
    sort: Sort,
    under_50: bool,
    size: Option<&'static str>,
    missing_size: bool,
    pub(crate) cart: Vec<CartLine>,
    pub(crate) orders: Vec<Order>,
}

impl Default for Shop {
    fn default() -> Self {
        Self {
            stack: BackStack::new(Screen::Home),
            fields: Fields::default(),
            sort: Sort::Featured,
            under_50: false,
            size: None,
            missing_size: false,
            cart: Vec::new(),
            orders: Vec::new(),
        }
    }
}

impl Shop {
    fn screen(&self) -> Screen {
        *self.stack.top()
    }

    fn show_screen(&mut self, screen: Screen, cx: &mut AppContext<'_>) {
        self.stack.push(screen);
        cx.unfocus();
        cx.forward();
    }

    fn total(&self) -> u32 {
        self.cart.iter().map(|line| line.price_cents.saturating_mul(line.quantity)).sum()
    }

    pub(crate) fn handle(&mut self, event: Event, cx: &mut AppContext<'_>) {
        match event {
            Event::SearchFor(what) => {
                self.fields.set("search", what);
                self.handle(Event::Search, cx);
            }
            Event::Search => {
                if self.fields.text("search").trim().is_empty() {
                    return;
                }
                self.sort = Sort::Featured;
                self.under_50 = false;
                if self.screen() == Screen::Results {
                    cx.unfocus();
                } else {
                    self.show_screen(Screen::Results, cx);
                }
            }
            Event::Sort(sort) => {
                self.sort = if self.sort == sort { Sort::Featured } else { sort };
            }
            Event::Under50 => self.under_50 = !self.under_50,
            Event::Open(i) => {
                self.size = None;
                self.missing_size = false;
                self.show_screen(Screen::Product(i), cx);
            }
            Event::Size(size) => {
                self.size = Some(size);
                self.missing_size = false;
            }
            Event::Add => {
                let Screen::Product(i) = self.screen() else { return };
                let Some(product) = PRODUCTS.get(i) else { return };
                if self.size.is_none() && !product.sizes.is_empty() {
                    self.missing_size = true;
                    cx.toast("Choose a size first");
                    return;
                }
                self.add_to_cart(product);
                cx.toast("Added to cart");
            }
            Event::Cart => self.show_screen(Screen::Cart, cx),
            Event::More(i) => {
                if let Some(line) = self.cart.get_mut(i) {
                    line.quantity = (line.quantity + 1).min(99);
                }
            }
            Event::Less(i) => {
                if let Some(line) = self.cart.get_mut(i) {
                    line.quantity -= 1;
                    if line.quantity == 0 {
                        self.cart.remove(i);
                    }
                }
            }
            Event::Checkout => {
                if !self.cart.is_empty() {
                    self.show_screen(Screen::Checkout, cx);
                }
            }
            Event::PlaceOrder => {
                let total_cents = self.total();
                self.orders.push(Order { lines: std::mem::take(&mut self.cart), total_cents });
                if self.orders.len() > MAX {
                    self.orders.remove(0);
                }
                self.stack.reset();
                self.show_screen(Screen::Done, cx);
            }
            Event::Continue => {
                self.stack.reset();
                self.fields.clear();
                cx.back();
            }
        }
    }

    fn add_to_cart(&mut self, product: &Product) {
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

    /// Indices of the products that match every word of the query, sorted and filtered.
    fn matching_products(&self) -> Vec<usize> {
        let wanted = self.fields.text("search").to_lowercase();
        let fits = |p: &Product| {
            let text = format!("{} {} {}", p.name, p.maker, p.words).to_lowercase();
            wanted
                .split_whitespace()
                .all(|w| text.contains(w.strip_suffix('s').filter(|w| w.len() > 2).unwrap_or(w)))
        };
        let mut found: Vec<usize> = PRODUCTS
            .iter()
            .enumerate()
            .filter(|(_, p)| fits(p) && (!self.under_50 || p.cents < 5_000))
            .map(|(i, _)| i)
            .collect();
        match self.sort {
            Sort::Featured => {}
            Sort::PriceAscending => found.sort_by_key(|i| PRODUCTS[*i].cents),
            Sort::PriceDescending => found.sort_by_key(|i| std::cmp::Reverse(PRODUCTS[*i].cents)),
            Sort::Rating => found.sort_by_key(|i| std::cmp::Reverse(PRODUCTS[*i].rating)),
        }
        found
    }
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

    fn view(&self, cx: &ViewContext<'_>) -> Element {
        match self.screen() {
            Screen::Home => self.home(cx),
            Screen::Results => self.results(cx),
            Screen::Product(i) => self.product(i),
            Screen::Cart => self.cart_screen(),
            Screen::Checkout => self.checkout(),
            Screen::Done => self.done(),
        }
    }

    fn back(&mut self, _cx: &mut AppContext<'_>) -> bool {
        self.stack.pop()
    }

    fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    fn reset(&mut self) {
        self.stack.reset();
        self.fields.clear();
        self.size = None;
    }

    fn open(&mut self, class: &str) -> bool {
        if class == CART {
            self.stack.raise(Screen::Cart);
        }
        class == ACTIVITY || class == CART
    }
}
